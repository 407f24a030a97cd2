// Loop elements that never change, see canonicalize.h.

#ifndef TESSERA_SHARDING_GRAPH_IMPORT_BUILD_LOOPS_H_
#define TESSERA_SHARDING_GRAPH_IMPORT_BUILD_LOOPS_H_

#include "tessera/sharding/graph/graph.h"

namespace tessera::sharding::graph {

// Turns the invariants of the loop into captures; the loop is made anew without them, in its place.
// Returns the new loop; null if there were none.
Op* RemoveLoopInvariants(Graph* graph, Op* loop);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_IMPORT_BUILD_LOOPS_H_
