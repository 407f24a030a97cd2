// Single nodes of a plan: added to a frame, found again, packed into tuples.

#include <utility>

#include "tessera/sharding/graph/plan/plan_builder.h"
#include "tessera/sharding/graph/plan/plan_layouts.h"

namespace tessera::sharding::graph {

using hlo::Opcode;

NodeId PlanBuilder::Add(Frame& frame, const PlanNode& node) {
  At(frame).nodes.push_back(node);
  return LastNode(frame);
}

NodeId PlanBuilder::AddParameter(Frame& frame, const layout::Shape* shape, PlanSharding sharding) {
  PlanNode node;
  node.opcode = Opcode::kParameter;
  node.role = NodeRole::kPacking;
  node.shape = RowMajor(shape);
  node.sharding = sharding;
  node.number = static_cast<int32_t>(At(frame).parameters.size());
  const NodeId id = Add(frame, node);
  At(frame).parameters.push_back(id);
  return id;
}

const layout::Shape* PlanBuilder::RowMajor(const layout::Shape* shape) {
  return HasDefaultLayout(*shape) ? shape : graph_.KeepShape(WithDefaultLayout(*shape));
}

const layout::Shape* PlanBuilder::KeepTuple(std::vector<layout::Shape> elements) {
  layout::Shape tuple = layout::Shape::Tuple(std::move(elements));
  const layout::Shape*& last = last_tuples_[tuple.tuple_elements().size()];
  if (last == nullptr || *last != tuple) last = graph_.KeepShape(std::move(tuple));
  return last;
}

const layout::Shape* PlanBuilder::TupleShape(const Frame& frame,
                                             const std::vector<NodeId>& elements) {
  std::vector<layout::Shape> shapes;
  shapes.reserve(elements.size());
  for (NodeId id : elements) shapes.push_back(*ShapeOf(frame, id));
  return KeepTuple(std::move(shapes));
}

NodeId PlanBuilder::AddTuple(Frame& frame, const std::vector<NodeId>& elements,
                             PlanSharding sharding) {
  PlanNode node;
  node.opcode = Opcode::kTuple;
  node.role = NodeRole::kPacking;
  node.shape = TupleShape(frame, elements);
  node.operands = plan_.Keep(elements);
  node.sharding = sharding;
  return Add(frame, node);
}

NodeId PlanBuilder::AddElement(Frame& frame, NodeId tuple, int64_t index, PlanSharding sharding) {
  PlanNode node;
  node.opcode = Opcode::kGetTupleElement;
  node.role = NodeRole::kPacking;
  node.shape = &ShapeOf(frame, tuple)->tuple_elements()[static_cast<size_t>(index)];
  node.operands = plan_.Keep({tuple});
  node.number = static_cast<int32_t>(index);
  node.sharding = sharding;
  return Add(frame, node);
}

NodeId PlanBuilder::AddCopy(Frame& frame, NodeId of, PlanSharding sharding, NodeRole role,
                            hlo::InstructionId source) {
  PlanNode node;
  node.opcode = Opcode::kCopy;
  node.role = role;
  node.source = source;
  node.shape = ShapeOf(frame, of);
  node.operands = plan_.Keep({of});
  node.sharding = sharding;
  return Add(frame, node);
}

NodeId PlanBuilder::Pack(Frame& frame, const std::vector<NodeId>& elements,
                         const std::vector<PlanSharding>& shardings) {
  if (elements.size() == 1) return elements[0];
  return AddTuple(frame, elements, plan_.shardings.Tuple(shardings));
}

void PlanBuilder::BindResults(Frame& frame, const Op* op, NodeId node,
                              const std::vector<PlanSharding>& shardings) {
  if (!ShapeOf(frame, node)->is_tuple()) {
    if (op->num_results() > 0) Bind(op->result(), node);
    return;
  }
  for (int i = 0; i < op->num_results(); ++i) {
    Bind(op->result(i), AddElement(frame, node, i, shardings[static_cast<size_t>(i)]));
  }
}

std::vector<NodeId> PlanBuilder::NodesOf(const Frame& frame, const Op* op) const {
  std::vector<NodeId> nodes;
  for (int i = 0; i < op->num_operands(); ++i) nodes.push_back(NodeOf(frame, op->operand(i)));
  return nodes;
}

}  // namespace tessera::sharding::graph
