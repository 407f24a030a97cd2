// Conditionals in the shape of HLO: each branch gets a tuple of what it captures, in order of first
// use. A tuple of one element is that element.
//
//   graph   r = case(i) { .. uses v, w .. }      HLO   t = tuple(v, w); r = conditional(i, t)

#include <utility>
#include <vector>

#include "tessera/sharding/graph/plan/plan_builder.h"
#include "tessera/sharding/graph/plan/regions/plan_captures.h"

namespace tessera::sharding::graph {

using hlo::Opcode;

void PlanBuilder::AddConditional(Frame& frame, Op* op) {
  const std::vector<PlanSharding> results = ControlShardings(frame, op);
  PlanNode node;
  node.opcode = Opcode::kConditional;
  node.like_source = true;
  node.source = op->source;
  std::vector<NodeId> operands = {NodeOf(frame, op->operand(0))};
  std::vector<int> branches;
  for (size_t b = 0; b < op->blocks().size(); ++b) {
    branches.push_back(AddBranch(frame, op, b, results, &operands));
    node.has_effect |= plan_.computations[static_cast<size_t>(branches.back())].has_effect;
  }
  node.operands = plan_.Keep(operands);
  node.called = plan_.Keep(branches);
  const PlanComputation& first = plan_.computations[static_cast<size_t>(node.called[0])];
  node.shape = first.nodes[static_cast<size_t>(first.root)].shape;
  node.sharding = OneOrTuple(results, op->num_results() != 1);
  const NodeId id = Add(frame, node);
  BindResults(frame, op, id, results);
}

int PlanBuilder::AddBranch(Frame& frame, const Op* op, size_t branch,
                           const std::vector<PlanSharding>& results,
                           std::vector<NodeId>* operands) {
  Block* block = op->blocks()[branch];
  const std::vector<Value*> captured = CapturedBy(block);
  std::vector<NodeId> elements;
  std::vector<PlanSharding> shardings;
  for (const Value* value : captured) {
    elements.push_back(NodeOf(frame, value));
    shardings.push_back(NodeAt(frame, elements.back()).sharding);
  }
  operands->push_back(Pack(frame, elements, shardings));
  const int region = BranchRegion(frame, block, captured, results);
  const hlo::InstructionId handed = graph_.module().operands(op->source)[branch + 1];
  plan_.computations[static_cast<size_t>(region)].parameter_leaves = {
      LeafMap(LeavesOf(graph_.module(), handed), -1)};
  return region;
}

int PlanBuilder::BranchRegion(Frame& frame, Block* block, const std::vector<Value*>& captured,
                              const std::vector<PlanSharding>& results) {
  std::vector<layout::Shape> shapes;
  std::vector<PlanSharding> shardings;
  for (const Value* value : captured) {
    const PlanNode& node = NodeAt(frame, NodeOf(frame, value));
    shapes.push_back(*node.shape);
    shardings.push_back(node.sharding);
  }
  Frame inner;
  inner.manual = frame.manual;
  inner.computation = NewComputation("branch", block->source);
  Reserve(inner, block);
  const std::vector<NodeId> elements =
      UnpackParameter(inner, std::move(shapes), shardings, shardings);
  for (size_t i = 0; i < captured.size(); ++i) inner.captured[captured[i]] = elements[i];
  At(inner).is_region = true;
  AddOps(inner, block);
  AddRoot(inner, block, results);
  CloseComputation(inner);
  return inner.computation;
}

}  // namespace tessera::sharding::graph
