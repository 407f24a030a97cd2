// Manual computations that can be smaller, see canonicalize.h.

#ifndef TESSERA_SHARDING_GRAPH_IMPORT_MANUAL_CLEANUP_H_
#define TESSERA_SHARDING_GRAPH_IMPORT_MANUAL_CLEANUP_H_

#include "tessera/sharding/graph/graph.h"

namespace tessera::sharding::graph {

// One of: arguments without uses go; a computation without arguments, results and ops goes; one
// whose manual axes are all of size 1 is inlined. Returns whether anything changed.
bool SimplifyManual(Graph* graph, Op* manual);

// Puts the ops of the only block in front of `op`, its arguments being the operands; what the block
// yields takes over the results.
void InlineBlock(Graph* graph, Op* op);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_IMPORT_MANUAL_CLEANUP_H_
