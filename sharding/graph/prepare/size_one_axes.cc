#include "tessera/sharding/graph/prepare/size_one_axes.h"

#include "tessera/sharding/graph/prepare/rewrite_shardings.h"
#include "tessera/sharding/trim.h"

namespace tessera::sharding::graph {

void RemoveSizeOneAxes(Graph* graph) {
  bool any = false;
  for (MeshId id = 0; id < graph->meshes().size(); ++id) {
    any |= graph->meshes().mesh(id).has_size_one_axis();
  }
  if (!any) return;
  RewriteShardings(graph, [&](const TensorSharding& s) {
    return sharding::RemoveSizeOneAxes(s, graph->meshes().mesh(s.mesh_id()));
  });
}

}  // namespace tessera::sharding::graph
