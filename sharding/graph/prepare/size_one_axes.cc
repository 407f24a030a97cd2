#include "tessera/sharding/graph/prepare/size_one_axes.h"

#include "tessera/sharding/graph/prepare/rewrite_shardings.h"

namespace tessera::sharding::graph {
namespace {

AxisList Kept(const AxisList& axes, const Mesh& mesh) {
  AxisList kept;
  for (AxisRef axis : axes) {
    if (axis.size(mesh) != 1) kept.push_back(axis);
  }
  return kept;
}

TensorSharding WithoutSizeOneAxes(TensorSharding s, const Mesh& mesh) {
  for (DimensionSharding& dim : s.mutable_dims()) {
    dim.axes = Kept(dim.axes, mesh);
    if (dim.axes.empty() && dim.is_closed) dim.priority = kNoPriority;
  }
  s.mutable_replicated_axes() = Kept(s.replicated_axes(), mesh);
  s.mutable_unreduced_axes() = Kept(s.unreduced_axes(), mesh);
  return s;
}

}  // namespace

void RemoveSizeOneAxes(Graph* graph) {
  bool any = false;
  for (MeshId id = 0; id < graph->meshes().size(); ++id) {
    any |= graph->meshes().mesh(id).has_size_one_axis();
  }
  if (!any) return;
  RewriteShardings(graph, [&](const TensorSharding& s) {
    return WithoutSizeOneAxes(s, graph->meshes().mesh(s.mesh_id()));
  });
}

}  // namespace tessera::sharding::graph
