// One change to every sharding of a graph: slots of values and results of functions.
//
//   RewriteShardings(&graph, [&](const TensorSharding& s) { return RemoveSizeOneAxes(s, mesh); });

#ifndef TESSERA_SHARDING_GRAPH_PREPARE_REWRITE_SHARDINGS_H_
#define TESSERA_SHARDING_GRAPH_PREPARE_REWRITE_SHARDINGS_H_

#include <functional>

#include "tessera/sharding/graph/graph.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::graph {

// Calls `visit` for each slot that holds a sharding, in order of the program: of a function its
// parameters, results, then ops; of an op the arguments of its blocks, its results, the ops inside.
void ForEachSharding(Graph* graph, const std::function<void(ShardingId&)>& visit);

// Asks for each distinct sharding once.
void RewriteShardings(Graph* graph,
                      const std::function<TensorSharding(const TensorSharding&)>& rewrite);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_PREPARE_REWRITE_SHARDINGS_H_
