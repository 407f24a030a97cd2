// File: projection/cost/demand/reshard_state.h
//
// The states between two shardings: for each dimension a list of atoms, major to minor. Atoms are
// the parts of mesh axes that both shardings can be written in; they are numbered, so that a state
// is a few bytes and can be a key.
#ifndef TESSERA_PROJECTION_COST_DEMAND_RESHARD_STATE_H_
#define TESSERA_PROJECTION_COST_DEMAND_RESHARD_STATE_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "tessera/projection/cost/demand/device_tiles.h"
#include "tessera/projection/set/axis_set.h"

namespace tessera::projection {

using AtomList = absl::InlinedVector<int8_t, 8>;
using ReshardState = std::vector<AtomList>;  // one list for each dimension

class AtomTable {
 public:
  // Cuts every axis at the borders that either sharding uses. kNotSupported when the borders do not
  // divide each other.
  static absl::StatusOr<AtomTable> Create(const sharding::Mesh& mesh,
                                          const sharding::TensorSharding& a,
                                          const sharding::TensorSharding& b);

  int size() const { return static_cast<int>(atoms_.size()); }
  sharding::AxisRef axis(int atom) const { return atoms_[static_cast<size_t>(atom)]; }
  int64_t parts(int atom) const { return axis(atom).size(mesh_); }
  int64_t Parts(const AtomList& list) const;

  AtomList ListOf(absl::Span<const sharding::AxisRef> axes) const;
  ReshardState StateOf(const sharding::TensorSharding& s) const;

 private:
  explicit AtomTable(const sharding::Mesh& mesh) : mesh_(mesh) {}
  sharding::Mesh mesh_;
  std::vector<sharding::AxisRef> atoms_;
};

// Prices moves between states: bytes of the tiles after that the tiles before did not have, over
// all devices.
class StatePricer {
 public:
  StatePricer(const sharding::Mesh& mesh, const AtomTable& atoms, const ZPoint& shape,
              int64_t element_bytes);

  int64_t Bytes(const ReshardState& before, const ReshardState& after) const;
  // The same for one position.
  int64_t BytesAt(int64_t position, const ReshardState& before, const ReshardState& after) const;
  int64_t num_devices() const { return devices_; }

 private:
  Interval Tile(int64_t position, int dim, const AtomList& list) const;

  const AtomTable& atoms_;
  ZPoint shape_;
  int64_t element_bytes_, devices_;
  std::vector<int64_t> coordinates_;  // of each position and atom
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_DEMAND_RESHARD_STATE_H_
