#include "tessera/sharding/explain/whynot/asked_axes.h"

#include "tessera/sharding/axis_lists.h"

namespace tessera::sharding::explain {
namespace {

std::optional<AxisRef> Find(const Mesh& mesh, const AskedAxis& asked) {
  const std::optional<int> axis = mesh.FindAxis(asked.name);
  if (!axis.has_value()) return std::nullopt;
  const bool is_whole = asked.size == 0 || asked.size == mesh.axis_size(*axis);
  return is_whole ? AxisRef::Full(*axis) : AxisRef::Sub(*axis, asked.pre, asked.size);
}

}  // namespace

AskedAxes::AskedAxes(const EventLog& log, const std::vector<AskedAxis>& axes) : axes_(axes) {
  const MeshTable& meshes = log.program().meshes();
  for (MeshId id = 0; id < meshes.size(); ++id) {
    by_mesh_.emplace_back();
    for (const AskedAxis& asked : axes) by_mesh_.back().push_back(Find(meshes.mesh(id), asked));
  }
}

bool AskedAxes::Among(const TensorSharding& sharding, int dim, int i) const {
  const std::optional<AxisRef> axis = In(sharding.mesh_id(), i);
  return axis.has_value() && dim < sharding.rank() && OverlapsAny(*axis, sharding.dim(dim).axes);
}

}  // namespace tessera::sharding::explain
