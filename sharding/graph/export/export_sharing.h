// What the border of a function says, for those that compare or call it. Internal to the package.

#ifndef TESSERA_SHARDING_GRAPH_EXPORT_EXPORT_SHARING_H_
#define TESSERA_SHARDING_GRAPH_EXPORT_EXPORT_SHARING_H_

#include <vector>

#include "tessera/sharding/graph/graph.h"

namespace tessera::sharding::graph {

// All shardings, missing ones filled in as fully open; none if all are missing.
std::vector<ShardingId> ParameterShardings(Graph& graph, const Function* f);
std::vector<ShardingId> ResultShardings(Graph& graph, const Function* f);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_EXPORT_EXPORT_SHARING_H_
