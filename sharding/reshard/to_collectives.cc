// Checks of the two shardings in front of Shardy's planner (collectives/planner.h). Tested by
// shardy_collectives_test.cc, which plays plans on numbered devices, and by the family reshards.

#include "tessera/sharding/reshard/to_collectives.h"

#include "tessera/sharding/reshard/collectives/planner.h"

namespace tessera::sharding::reshard {
absl::StatusOr<CollectivePlan> ToCollectives(absl::Span<const int64_t> shape,
                                             const TensorSharding& from, const TensorSharding& to,
                                             const MeshTable& meshes) {
  if (from.rank() != to.rank() || from.rank() != static_cast<int>(shape.size())) {
    return absl::InvalidArgumentError("the two shardings are not of one shape");
  }
  const Mesh& mesh = meshes.mesh(from.mesh_id());
  if (mesh.is_maximal() || meshes.mesh(to.mesh_id()).is_maximal()) {
    return absl::InvalidArgumentError("a single device is not reached by these collectives");
  }
  // A replicated array is the same in every order of devices.
  TensorSharding target = to;
  if (to.IsFullyReplicated()) {
    target.set_mesh_id(from.mesh_id());
    if (from.IsFullyReplicated() && from.unreduced_axes().empty()) return CollectivePlan();
  } else if (!mesh.SameAxes(meshes.mesh(to.mesh_id()))) {
    return absl::InvalidArgumentError("the two shardings are on different meshes");
  }
  return ShardyPlanner(shape, from, target, meshes).Plan();
}

}  // namespace tessera::sharding::reshard
