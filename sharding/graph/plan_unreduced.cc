#include "tessera/sharding/graph/plan_builder.h"

namespace tessera::sharding::graph {

void PlanBuilder::AddConversion(Frame& frame, Op* op) {
  frame.nodes[op->result()] = AddCopy(frame, NodeOf(frame, op->operand(0)),
                                      Text(frame, op->result()), NodeRole::kConversion, op->source);
}

}  // namespace tessera::sharding::graph
