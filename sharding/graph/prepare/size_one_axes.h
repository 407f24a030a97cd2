// Axes of size 1 leave all shardings; meshes keep them.
//
//   mesh ["a"=1, "b"=2]:   [{"a", "b"}, {"a"}p1]   ->   [{"b"}, {}]

#ifndef TESSERA_SHARDING_GRAPH_PREPARE_SIZE_ONE_AXES_H_
#define TESSERA_SHARDING_GRAPH_PREPARE_SIZE_ONE_AXES_H_

#include "tessera/sharding/graph/graph.h"

namespace tessera::sharding::graph {

// A closed dimension that becomes empty loses its priority.
void RemoveSizeOneAxes(Graph* graph);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_PREPARE_SIZE_ONE_AXES_H_
