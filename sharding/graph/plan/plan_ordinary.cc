// Ops that are instructions as they stand in the module.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/graph/plan/followed_operand.h"
#include "tessera/sharding/graph/plan/plan_builder.h"
#include "tessera/sharding/graph/plan/plan_layouts.h"
#include "tessera/sharding/graph/queries/constant_text.h"

namespace tessera::sharding::graph {

using hlo::AttributeName;
using hlo::Opcode;

// A Python callback with one result returns it in a tuple, unless nobody wants it.
bool PlanBuilder::ReturnsTuple(const Op* op) const {
  constexpr absl::string_view kCallbacks[] = {
      "xla_python_cpu_callback", "xla_ffi_python_cpu_callback", "xla_python_gpu_callback",
      "xla_ffi_python_gpu_callback"};
  if (!HasOpcode(op, Opcode::kCustomCall) || !op->has_uses()) return false;
  const std::string target = hlo::GetCustomCallTarget(graph_.module(), op->source);
  return std::find(std::begin(kCallbacks), std::end(kCallbacks), target) != std::end(kCallbacks);
}

// The node's shape with the layout that XLA's builder gives it.
void PlanBuilder::LayOut(const Frame& frame, PlanNode* node) {
  if (node->opcode == Opcode::kBroadcast) {
    node->shape = RowMajor(node->shape);
    return;
  }
  const size_t followed = static_cast<size_t>(FollowedOperand(node->opcode));
  const bool follows = followed < node->operands.size();
  if (KeepsShape(node->opcode, *node->shape,
                 follows ? ShapeOf(frame, node->operands[followed]) : nullptr)) {
    return;
  }
  absl::InlinedVector<const layout::Shape*, 4> operands;
  for (NodeId operand : node->operands) operands.push_back(ShapeOf(frame, operand));
  auto made = InferLayout(graph_.module(), node->source, node->opcode, *node->shape, operands);
  if (made.has_value()) node->shape = graph_.KeepShape(*std::move(made));
}

size_t PlanBuilder::LeavesOf(const hlo::Module& module, hlo::InstructionId id) {
  size_t leaves = 0;
  layout::ForEachLeaf(module.shape(id), [&](const layout::Shape&) { ++leaves; });
  return leaves;
}

// All but custom calls and fusions take tuples whole.
bool PlanBuilder::TakesTuples(const Op* op) const {
  const hlo::Module& module = graph_.module();
  const Opcode opcode = module.instruction(op->source).opcode;
  if (opcode == Opcode::kCustomCall || opcode == Opcode::kFusion) return false;
  const auto operands = module.operands(op->source);
  return std::any_of(operands.begin(), operands.end(),
                     [&](hlo::InstructionId id) { return module.shape(id).is_tuple(); });
}

// The operands as the instruction takes them.
std::vector<NodeId> PlanBuilder::PackedOperands(Frame& frame, const Op* op) {
  const std::vector<NodeId> flat = NodesOf(frame, op);
  const hlo::Module& module = graph_.module();
  std::vector<NodeId> packed;
  size_t next = 0;
  for (hlo::InstructionId operand : module.operands(op->source)) {
    const size_t leaves = LeavesOf(module, operand);
    if (next + leaves > flat.size()) return flat;
    const std::vector<NodeId> some(flat.begin() + static_cast<std::ptrdiff_t>(next),
                                   flat.begin() + static_cast<std::ptrdiff_t>(next + leaves));
    next += leaves;
    const bool is_tuple = module.shape(operand).is_tuple();
    packed.push_back(is_tuple ? AddTuple(frame, some, kNoPlanSharding) : some[0]);
  }
  return next == flat.size() ? packed : flat;
}

NodeId PlanBuilder::AddWithOperands(Frame& frame, const Op* op) {
  if (TakesTuples(op)) {
    const std::vector<NodeId> packed = PackedOperands(frame, op);
    AddNode(frame).operands = plan_.Keep(packed);
  } else {
    absl::InlinedVector<NodeId, 8> operands;
    for (const Use& use : op->operands) operands.push_back(NodeOf(frame, use.value()));
    AddNode(frame).operands = plan_.Keep(operands);
  }
  return LastNode(frame);
}

void PlanBuilder::AddOrdinary(Frame& frame, Op* op) {
  if (op->opcode == Opcode::kOutfeed) return AddOutfeed(frame, op);
  const hlo::Module& module = graph_.module();
  const NodeId id = AddWithOperands(frame, op);
  PlanNode& node = NodeAt(frame, id);
  node.opcode = op->opcode;
  node.like_source = true;
  node.has_effect = !op->pure && effects_.Of(op->source);
  node.source = op->source;
  if (op->opcode == Opcode::kConvert && op->num_operands() == 2) {  // to PRED
    node.opcode = Opcode::kCompare;
    node.like_source = false;
    node.own = plan_.Keep({{{AttributeName::kDirection, "NE"}}, ""});
  }
  const auto called = module.called(op->source);
  absl::InlinedVector<int, 2> copies;
  for (hlo::ComputationId c : called) copies.push_back(VerbatimComputation(frame, c));
  node.called = plan_.Keep(copies);
  if (op->opcode == Opcode::kInfeed) return FinishInfeed(frame, op, id);
  if (op->num_results() != 1 || ReturnsTuple(op)) return FinishTuple(frame, op, id);
  node.shape = &op->result()->shape();
  LayOut(frame, &node);
  node.sharding = Text(frame, op->result());
  Bind(op->result(), id);
}

// The results are elements of what the node makes.
void PlanBuilder::FinishTuple(Frame& frame, const Op* op, NodeId id) {
  const std::vector<PlanSharding> shardings = ResultTexts(frame, op);
  std::vector<layout::Shape> shapes;
  for (const Value& result : op->results) shapes.push_back(result.shape());
  PlanNode& node = NodeAt(frame, id);
  node.shape = KeepTuple(std::move(shapes));
  LayOut(frame, &node);
  node.sharding = plan_.shardings.Tuple(shardings);
  BindResults(frame, op, id, shardings);
}

}  // namespace tessera::sharding::graph
