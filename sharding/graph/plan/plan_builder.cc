#include "tessera/sharding/graph/plan/plan_builder.h"

#include <algorithm>
#include <utility>

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/graph/plan/plan_layouts.h"
#include "tessera/sharding/graph/sharding_access.h"

namespace tessera::sharding::graph {

using hlo::Opcode;

ExportPlan PlanBuilder::Build() {
  // An entry for the reduction is all the metadata that a sharding of the pass has.
  const bool reductions = graph_.behaviors().unreduced_axes_show_reduction;
  plan_.shardings.set_form(
      {reductions, reductions, graph_.behaviors().single_device_in_named_form});
  plan_.without_axes = WithoutAxes();
  plan_.tuple_args = options_.tuple_args;
  plan_.num_partitions = options_.num_partitions;
  plan_.entry = FunctionComputation(graph_.entry());
  LayOutFed();
  return std::move(plan_);
}

int PlanBuilder::NewComputation(std::string name, hlo::ComputationId source) {
  PlanComputation& made = plan_.computations.emplace_back();
  made.name = std::move(name);
  made.source = source;
  return static_cast<int>(plan_.computations.size()) - 1;
}

// With copies, tuples and elements that are added.
void PlanBuilder::Reserve(const Frame& frame, const Block* block) {
  if (block->source == hlo::kNoId) return;
  const size_t size = graph_.module().computation(block->source).instructions.size();
  At(frame).nodes.reserve(size + size / 4);
}

int PlanBuilder::FunctionComputation(Function* function) {
  const auto known = functions_.find(function);
  if (known != functions_.end()) return known->second;
  Frame frame;
  frame.computation = NewComputation(function->name, function->body->source);
  frame.manual = {function->manual_mesh, function->manual_axes};
  functions_[function] = frame.computation;
  Reserve(frame, function->body);
  AddEntryParameters(frame, function);
  SetParameterLeaves(At(frame), function->body);
  AddOps(frame, function->body);
  std::vector<PlanSharding> wanted;
  const Op* ret = function->body->terminator();
  for (size_t i = 0; i < function->result_shardings.size(); ++i) {
    wanted.push_back(
        Text(frame, function->result_shardings[i], RankOf(ret->operand(static_cast<int>(i)))));
  }
  if (function->is_entry) plan_.results = wanted;
  AddRoot(frame, function->body, wanted);
  CloseComputation(frame);
  return frame.computation;
}

void PlanBuilder::AddEntryParameters(Frame& frame, Function* function) {
  const Block* body = function->body;
  if (!function->is_entry || !options_.tuple_args) {
    for (Value* arg : body->args) {
      Bind(arg, AddParameter(frame, &arg->shape(), Text(frame, arg)));
    }
    return;
  }
  std::vector<layout::Shape> shapes;
  std::vector<PlanSharding> shardings;
  for (const Value* arg : body->args) {
    shapes.push_back(arg->shape());
    shardings.push_back(Text(frame, arg));
  }
  const NodeId all =
      AddParameter(frame, KeepTuple(std::move(shapes)), plan_.shardings.Tuple(shardings));
  for (Value* arg : body->args) {
    const size_t i = static_cast<size_t>(arg->index());
    Bind(arg, AddElement(frame, all, arg->index(), shardings[i]));
  }
}

void PlanBuilder::SetParameterLeaves(PlanComputation& computation, const Block* block) {
  const InstructionValues* table = graph_.TableOf(block);
  if (table == nullptr) return;
  for (hlo::InstructionId parameter : graph_.module().computation(block->source).parameters) {
    LeafMap map;
    for (Value* leaf : table->Get(parameter)) {
      const bool alive = leaf != nullptr && leaf->owner() == block &&
                         leaf->index() < block->num_args() &&
                         block->args[static_cast<size_t>(leaf->index())] == leaf;
      map.push_back(alive ? leaf->index() : -1);
    }
    computation.parameter_leaves.push_back(std::move(map));
  }
}

int PlanBuilder::VerbatimComputation(const Frame& frame, hlo::ComputationId source) {
  std::vector<int>& copies = verbatim_[frame.manual];
  if (copies.empty()) copies.resize(graph_.module().num_computations(), -1);
  int& copy = copies[source];
  if (copy >= 0) return copy;
  const PlanSharding mark =
      frame.manual.axes.empty() ? kNoPlanSharding : Text(frame, kNoSharding, 0);
  copy = NewComputation(std::string(graph_.module().computation(source).name), source);
  plan_.computations.back().verbatim = true;
  plan_.computations.back().mark = mark;
  return copy;
}

void PlanBuilder::AddOps(Frame& frame, Block* block) {
  for (Op* op = block->first; op != nullptr; op = op->next) {
    if (op->kind != OpKind::kReturn) AddOp(frame, op);
  }
}

void PlanBuilder::AddRoot(Frame& frame, const Block* block, const std::vector<PlanSharding>& wanted,
                          const std::vector<NodeId>& more) {
  std::vector<NodeId> results = NodesOf(frame, block->terminator());
  results.insert(results.end(), more.begin(), more.end());
  if (results.size() != 1) {
    LayOutResults(frame, block, wanted, &results);
    At(frame).root = AddTuple(frame, results, plan_.shardings.Tuple(wanted));
    return;
  }
  At(frame).root = results[0];
  const PlanSharding own = NodeAt(frame, results[0]).sharding;
  if (wanted.empty() || wanted[0] == kNoPlanSharding) return;
  if (plan_.shardings.Same(wanted[0], own)) return;
  // A result that differs from what is returned shows on an element of a tuple.
  const NodeId tuple = AddTuple(frame, results, plan_.shardings.Tuple({own}));
  At(frame).root = AddElement(frame, tuple, 0, wanted[0]);
}

// The program returns several results row-major, if any of them has a sharding.
void PlanBuilder::LayOutResults(Frame& frame, const Block* block,
                                const std::vector<PlanSharding>& wanted,
                                std::vector<NodeId>* results) {
  const bool some = std::any_of(wanted.begin(), wanted.end(),
                                [](PlanSharding s) { return s != kNoPlanSharding; });
  if (block->parent != nullptr || !block->function->is_entry || !some) return;
  for (size_t i = 0; i < results->size(); ++i) {
    NodeId& result = (*results)[i];
    const layout::Shape& shape = *ShapeOf(frame, result);
    if (HasDefaultLayout(shape)) continue;
    PlanNode node;
    node.opcode = Opcode::kReshape;
    node.role = NodeRole::kPacking;
    node.shape = graph_.KeepShape(WithDefaultLayout(shape));
    node.operands = plan_.Keep({result});
    node.sharding = wanted[i];
    result = Add(frame, node);
  }
}

void PlanBuilder::CloseComputation(Frame& frame) {
  for (const PlanNode& node : At(frame).nodes) At(frame).has_effect |= node.has_effect;
}

void PlanBuilder::AddOp(Frame& frame, Op* op) {
  switch (op->kind) {
    case OpKind::kConstant:
      return AddConstant(frame, op);
    case OpKind::kReshard:
      return AddReshard(frame, op);
    case OpKind::kWhile:
      return AddWhile(frame, op);
    case OpKind::kCase:
    case OpKind::kPredConditional:
      return AddConditional(frame, op);
    case OpKind::kCall:
      return AddCall(frame, op);
    case OpKind::kOptBarrier:
      return AddOptBarrier(frame, op);
    case OpKind::kManualComputation:
      return AddManual(frame, op);
    case OpKind::kPropagationBarrier:  // for the change that reads it, export.h
      return Bind(op->result(), NodeOf(frame, op->operand(0)));
    case OpKind::kAllReduce:
    case OpKind::kReplicatedToUnreduced:
    case OpKind::kShardedToUnreduced:
      return AddConversion(frame, op);
    default:
      return op->part == OpPart::kWhole ? AddOrdinary(frame, op) : AddPart(frame, op);
  }
}

void PlanBuilder::AddReshard(Frame& frame, Op* op) {
  const bool constraint = op->source != hlo::kNoId &&
                          hlo::GetCustomCallTarget(graph_.module(), op->source) == "Sharding";
  Bind(op->result(), AddCopy(frame, NodeOf(frame, op->operand(0)), Text(frame, op->result()),
                             constraint ? NodeRole::kCounterpart : NodeRole::kReshard, op->source));
}

}  // namespace tessera::sharding::graph
