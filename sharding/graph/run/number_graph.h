// The entry of a graph by the numbers that propagation goes by.
//
//   absl::StatusOr<propagation::NumberedProgram> numbered = NumberGraph(&graph);
//   numbered->op(7)->source;           // the instruction of op 7

#ifndef TESSERA_SHARDING_GRAPH_RUN_NUMBER_GRAPH_H_
#define TESSERA_SHARDING_GRAPH_RUN_NUMBER_GRAPH_H_

#include "absl/status/statusor.h"
#include "tessera/sharding/graph/graph.h"
#include "tessera/sharding/propagation/numbered_program.h"

namespace tessera::sharding::graph {

// The graph must have been prepared, and groups in conflict separated (prepare/groups.h).
// InvalidArgument at each instruction with a result of a dynamic shape, or at an op with an
// operand that no op before it makes.
absl::StatusOr<propagation::NumberedProgram> NumberGraph(Graph* graph);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_RUN_NUMBER_GRAPH_H_
