// The states between two shardings, for the planners that search: for each dimension a list of
// atoms, major to minor. Atoms are the parts of mesh axes that both shardings can be written in;
// they are numbered, so that a state is a few bytes and can be a key.
//
//   // mesh a=8; [{a:(1)2}] -> [{a}]: the atoms a:(1)2 and a:(2)4, the states [0] and [0, 1]

#ifndef TESSERA_TESTING_RESHARD_PLANS_ATOMS_H_
#define TESSERA_TESTING_RESHARD_PLANS_ATOMS_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/device_tiles.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::testing::reshard_plans {

using sharding::AxisList;
using sharding::AxisRef;
using sharding::Mesh;
using sharding::TensorSharding;
using sharding::TileRange;

using AtomList = absl::InlinedVector<int8_t, 8>;
using AtomState = std::vector<AtomList>;  // one list for each dimension

class AtomTable {
 public:
  // Cuts every axis at the borders that either sharding uses. InvalidArgument when the borders do
  // not divide each other, or there are more than a hundred atoms.
  static absl::StatusOr<AtomTable> Create(const Mesh& mesh, const TensorSharding& a,
                                          const TensorSharding& b);

  int size() const { return static_cast<int>(atoms_.size()); }
  AxisRef axis(int atom) const { return atoms_[static_cast<size_t>(atom)]; }
  int64_t parts(int atom) const { return axis(atom).size(mesh_); }
  int64_t Parts(const AtomList& list) const;

  AtomList ListOf(absl::Span<const AxisRef> axes) const;
  AtomState StateOf(const TensorSharding& s) const;
  // Atoms that make up an axis come back as the axis.
  AxisList AxesOf(const AtomList& list) const;

 private:
  explicit AtomTable(const Mesh& mesh) : mesh_(mesh) {}
  Mesh mesh_;
  std::vector<AxisRef> atoms_;
};

// Elements of the tile `after` that a device with the tile `before` does not have.
int64_t NewElements(absl::Span<const TileRange> before, absl::Span<const TileRange> after);

// Prices moves between states: elements of the tiles after that the tiles before did not have, over
// all devices. Atoms and shape must outlive it.
class StatePricer {
 public:
  StatePricer(const Mesh& mesh, const AtomTable& atoms, absl::Span<const int64_t> shape);
  StatePricer(const Mesh& mesh, const AtomTable&& atoms, absl::Span<const int64_t> shape) = delete;

  int64_t Elements(const AtomState& before, const AtomState& after) const;

 private:
  using Tile = absl::InlinedVector<TileRange, 6>;
  Tile TileAt(int64_t position, const AtomState& state) const;

  const AtomTable& atoms_;
  const absl::Span<const int64_t> shape_;
  int64_t devices_;
  std::vector<int64_t> coordinates_;  // of each position and atom
};

}  // namespace tessera::testing::reshard_plans

#endif  // TESSERA_TESTING_RESHARD_PLANS_ATOMS_H_
