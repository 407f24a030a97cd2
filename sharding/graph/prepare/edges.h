// Data-flow edges: one op behind each result of a loop, case or barrier (and each argument and
// result of a manual or named computation) that stands for its sharding during propagation.
//
//   r = while(x) {..}; f(r)    ->    r = while(x) {..}; e = edge(r); f(e)
//
// The slot of e serves r, the loop's arguments, and, as sources, x and what the body yields.

#ifndef TESSERA_SHARDING_GRAPH_PREPARE_EDGES_H_
#define TESSERA_SHARDING_GRAPH_PREPARE_EDGES_H_

#include <vector>

#include "tessera/sharding/graph/graph.h"

namespace tessera::sharding::graph {

// Edges for all data-flow ops of the graph, ops inside before ops around. Values without a static
// shape get none.
void AddEdges(Graph* graph);
// Edges for all results of one op, or all arguments of one block.
void AddEdgesTo(Graph* graph, const std::vector<Value*>& owners);
// Edges for the arguments and results of one op with one block (kNamed, kManual).
void AddBoundaryEdges(Graph* graph, Op* op);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_PREPARE_EDGES_H_
