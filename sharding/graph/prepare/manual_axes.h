// Manual computations before propagation: their axes in mesh order, and reserved where the in- and
// out-shardings do not mention them.
//
//   manual {"b", "a"}, in [{"a"}, {?}]    ->    manual {"a", "b"}, in [{"a"}, {?}] replicated={"b"}

#ifndef TESSERA_SHARDING_GRAPH_PREPARE_MANUAL_AXES_H_
#define TESSERA_SHARDING_GRAPH_PREPARE_MANUAL_AXES_H_

#include "tessera/sharding/graph/graph.h"

namespace tessera::sharding::graph {

void ReserveManualAxes(Graph* graph);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_PREPARE_MANUAL_AXES_H_
