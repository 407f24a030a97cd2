// Shardings as a JAX user writes them: P('data', None, ('x', 'y')).
//
//   absl::StatusOr<PartitionSpec> spec = ParsePartitionSpec("P('data', UNCONSTRAINED)");
//   spec->ToString();                          // "P('data', UNCONSTRAINED)"
//   spec->Resolve(mesh_id, mesh, /*rank=*/3);  // [{"data"}, {?}, {}]
//
// Entries are None, UNCONSTRAINED, an axis or a tuple of axes, major to minor. On the command line
// names may stand without quotes, and a `?` after an entry leaves the dimension open:
// P(data?, None). Missing entries at the end are None. There are no sub-axes and no priorities.

#ifndef TESSERA_SHARDING_PSPEC_H_
#define TESSERA_SHARDING_PSPEC_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding {

struct PartitionSpec {
  struct Entry {
    std::vector<std::string> axes;
    bool is_open = false;  // without axes: UNCONSTRAINED
  };
  std::vector<Entry> entries;
  std::vector<std::string> unreduced;
  std::vector<std::string> reduced;  // known to JAX only: means nothing for the placement

  // As Python prints it: P('x',), P(('x', 'y'), None). An open entry with axes has a `?` after it.
  std::string ToString() const;

  // The sharding of a value of that rank. InvalidArgument for more entries than dimensions, an axis
  // that the mesh does not have, or one that is used twice.
  absl::StatusOr<TensorSharding> Resolve(MeshId id, const Mesh& mesh, int rank) const;
};

// Errors are InvalidArgument with an offset in the text.
absl::StatusOr<PartitionSpec> ParsePartitionSpec(absl::string_view text);

// The spec of a sharding, one entry a dimension; P() for what is whole, whatever its rank. Nothing
// for a single device, sub-axes, priorities and explicitly replicated axes, which P(..) cannot say.
std::optional<PartitionSpec> ToPartitionSpec(const TensorSharding& sharding, const Mesh& mesh);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_PSPEC_H_
