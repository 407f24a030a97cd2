// Calls of functions, made transparent: a function that is called twice is copied, then each call
// becomes a named computation, a region that holds the callee's body.
//
//   y = call(x), to_apply=f     ->     y = named "f" (x) { (a) e = edge(a); ...; yield r }; edge(y)

#ifndef TESSERA_SHARDING_GRAPH_PREPARE_CALLS_H_
#define TESSERA_SHARDING_GRAPH_PREPARE_CALLS_H_

#include "tessera/sharding/graph/graph.h"

namespace tessera::sharding::graph {

// A call without any sharding takes those of its callee's results, if there are some on a mesh of
// more than one device; the missing ones become fully open.
void TakeCalleeResultShardings(Graph* graph);

// A function of its own for each call.
void SeparateCallees(Graph* graph);

// Edges for the results of calls and the parameters of what is called, and their end, in which the
// shardings that they took stay where the edges were. In between, constraints meet the same edges
// as in inlined calls.
void AddCallEdges(Graph* graph);
void SinkCallEdges(Graph* graph);

// Inlines all calls, each of a function of its own, as named computations with their edges. Only
// the entry is left.
void InlineCalls(Graph* graph);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_PREPARE_CALLS_H_
