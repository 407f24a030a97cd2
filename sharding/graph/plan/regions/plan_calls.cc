// Calls and barriers in the shape of HLO: one instruction each, with a tuple of several results.

#include "tessera/sharding/graph/plan/plan_builder.h"

namespace tessera::sharding::graph {

using hlo::Opcode;

void PlanBuilder::AddCall(Frame& frame, Op* op) {
  const std::vector<PlanSharding> shardings = ResultTexts(frame, op);
  PlanNode node;
  node.opcode = Opcode::kCall;
  node.like_source = true;
  node.source = op->source;
  node.operands = plan_.Keep(NodesOf(frame, op));
  node.called = plan_.Keep({FunctionComputation(op->As<CallInfo>()->callee)});
  const PlanComputation& callee = plan_.computations[static_cast<size_t>(node.called[0])];
  node.shape = callee.nodes[static_cast<size_t>(callee.root)].shape;
  node.has_effect = callee.has_effect;
  node.sharding = OneOrTuple(shardings, node.shape->is_tuple());
  const NodeId id = Add(frame, node);
  BindResults(frame, op, id, shardings);
}

void PlanBuilder::AddOptBarrier(Frame& frame, Op* op) {
  const std::vector<PlanSharding> shardings = ResultTexts(frame, op);
  PlanNode node;
  node.opcode = Opcode::kOptBarrier;
  node.like_source = true;
  node.source = op->source;
  node.operands = plan_.Keep({Pack(frame, NodesOf(frame, op), shardings)});
  node.shape = ShapeOf(frame, node.operands[0]);
  node.sharding = OneOrTuple(shardings, node.shape->is_tuple());
  const NodeId id = Add(frame, node);
  BindResults(frame, op, id, shardings);
}

}  // namespace tessera::sharding::graph
