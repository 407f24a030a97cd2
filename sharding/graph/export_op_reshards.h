// What the tensors of one op should agree on, written into the graph. Internal to the package.

#ifndef TESSERA_SHARDING_GRAPH_EXPORT_OP_RESHARDS_H_
#define TESSERA_SHARDING_GRAPH_EXPORT_OP_RESHARDS_H_

#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/graph/graph.h"
#include "tessera/sharding/graph/reshard_inserter.h"

namespace tessera::sharding::graph {

// Reshards operands and results as the plan of sharding/reshard for the op and its rule says.
void ReshardOp(Graph& graph, ReshardInserter& inserter, Op* op, const factors::OpShardingRule& rule,
               reshard::Version version);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_EXPORT_OP_RESHARDS_H_
