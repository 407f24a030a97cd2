// A graph frozen into the dense program of propagation.
//
//   absl::StatusOr<Frozen> frozen = Freeze(&graph);
//   frozen->program;                  // ops and values by number
//   frozen->ops[7]->source;           // which op of the graph number 7 is

#ifndef TESSERA_SHARDING_GRAPH_RUN_FREEZE_H_
#define TESSERA_SHARDING_GRAPH_RUN_FREEZE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "tessera/sharding/graph/graph.h"
#include "tessera/sharding/propagation/program.h"

namespace tessera::sharding::graph {

struct Frozen {
  propagation::Program program;
  std::vector<Op*> ops;  // null for the header of the function
  std::vector<Value*> values;
};

// The graph must have been prepared, and groups in conflict separated (prepare/groups.h).
// Op::number and Value::number() are the numbers in the program afterwards.
absl::StatusOr<Frozen> Freeze(Graph* graph);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_RUN_FREEZE_H_
