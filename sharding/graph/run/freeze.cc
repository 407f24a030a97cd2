#include "tessera/sharding/graph/run/freeze.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/graph/op_error.h"
#include "tessera/sharding/graph/prepare/edges.h"
#include "tessera/sharding/graph/prepare/groups.h"
#include "tessera/sharding/graph/run/hlo_view.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/propagation/program_builder.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/error_list.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

using propagation::Direction;
using propagation::EdgeSpec;
using propagation::ManualView;
using propagation::OpPriorityClass;
using propagation::OpSpec;
using propagation::ShapeId;
using propagation::ValueId;

class Freezer {
 public:
  explicit Freezer(Graph* graph) : graph_(*graph) {}

  absl::StatusOr<Frozen> Run();

 private:
  void Reserve();
  void AddFunction(Function* f);
  void AddBlock(Block* block, propagation::OpId parent);
  void AddOp(Op* op, propagation::OpId parent);
  ValueId AddValue(Value* value);
  void AddUses();
  void AddEdge(const Op& edge);
  absl::Status CheckResults() const;

  OpSpec SpecOf(const Op& op) const;

  Graph& graph_;
  propagation::ProgramBuilder builder_;
  absl::flat_hash_map<const layout::Shape*, ShapeId> shapes_;
  std::vector<Op*> ops_;
  std::vector<Value*> values_;
  std::vector<const Op*> edges_;
  std::vector<ValueId> tensors_;  // room for those of the current op
  std::vector<const Value*> dynamic_results_;
  const Op* lost_ = nullptr;  // the first that reads what no op before it makes
};

propagation::OpKind KindOf(const Op& op) {
  switch (op.kind) {
    case OpKind::kWhile:
      return propagation::OpKind::kWhile;
    case OpKind::kCase:
      return propagation::OpKind::kCase;
    case OpKind::kOptBarrier:
      return propagation::OpKind::kOptBarrier;
    case OpKind::kNamedComputation:
      return propagation::OpKind::kNamedComputation;
    case OpKind::kManualComputation:
      return propagation::OpKind::kManualComputation;
    case OpKind::kPredConditional:
      return propagation::OpKind::kRegion;
    case OpKind::kDataFlowEdge:
      return propagation::OpKind::kDataFlowEdge;
    case OpKind::kPropagationBarrier:
      return propagation::OpKind::kPropagationBarrier;
    case OpKind::kReturn:
      return op.block->parent == nullptr ? propagation::OpKind::kReturn
                                         : propagation::OpKind::kTerminator;
    default:
      return propagation::OpKind::kPlain;
  }
}

OpPriorityClass FlowOf(rules::OpPriorityClass flow) {
  switch (flow) {
    case rules::OpPriorityClass::kPassThrough:
      return OpPriorityClass::kPassThrough;
    case rules::OpPriorityClass::kForward:
      return OpPriorityClass::kPassThroughForward;
    case rules::OpPriorityClass::kBroadcast:
      return OpPriorityClass::kBroadcast;
    default:
      return OpPriorityClass::kOther;
  }
}

OpSpec Freezer::SpecOf(const Op& op) const {
  OpSpec spec;
  spec.kind = KindOf(op);
  const rules::OpTraits traits = TraitsOf(graph_, op);
  spec.element_wise = traits.element_wise;
  spec.flow = FlowOf(traits.flow);
  spec.removable = op.pure && op.blocks.empty() && op.num_results() > 0;
  if (op.kind != OpKind::kHlo && op.kind != OpKind::kConstraint) spec.rule = factors::kNoRule;
  if (op.kind == OpKind::kPropagationBarrier) spec.barrier = static_cast<Direction>(op.attribute);
  return spec;
}

ValueId Freezer::AddValue(Value* value) {
  const bool is_static = value->is_array() && !value->shape().has_dynamic_dim();
  ShapeId shape = propagation::kNoShape;
  if (is_static) {
    const auto [it, is_new] = shapes_.try_emplace(&value->shape(), shape);
    if (is_new) it->second = builder_.AddShape(value->shape().dims());
    shape = it->second;
  } else if (value->is_array() && value->def() != nullptr) {
    dynamic_results_.push_back(value);
  }
  const ValueId id = builder_.AddValue(shape, value->sharding());
  value->set_number(id);
  values_.push_back(value);
  return id;
}

void Freezer::AddOp(Op* op, propagation::OpId parent) {
  const size_t operands = op->operands.size(), results = op->results.size();
  if (tensors_.size() < operands + results) tensors_.resize(operands + results);
  ValueId* tensor = tensors_.data();
  for (const Use& use : op->operands) {
    if (use.value()->number() < 0 && lost_ == nullptr) lost_ = op;
    *tensor++ = use.value()->number();
  }
  for (Value& result : op->results) *tensor++ = AddValue(&result);
  OpSpec spec = SpecOf(*op);
  spec.parent = parent;
  op->number = builder_.AddOp(spec, {tensors_.data(), operands}, {tensor - results, results});
  ops_.push_back(op);
  if (op->kind == OpKind::kDataFlowEdge) edges_.push_back(op);
  for (Block* block : op->blocks) AddBlock(block, op->number);
}

void Freezer::AddBlock(Block* block, propagation::OpId parent) {
  for (Value* arg : block->args) builder_.AddBlockArgument(parent, AddValue(arg));
  for (Op* op = block->first; op != nullptr; op = op->next) AddOp(op, parent);
}

// Ops have one result and two operands, give or take.
void Freezer::Reserve() {
  size_t ops = 1;
  for (size_t kind = 0; kind < kNumOpKinds; ++kind) {
    ops += static_cast<size_t>(graph_.CountOf(static_cast<OpKind>(kind)));
  }
  builder_.Reserve(ops, ops, 3 * ops);
  ops_.reserve(ops);
  values_.reserve(ops);
}

void Freezer::AddFunction(Function* f) {
  OpSpec header;
  header.kind = propagation::OpKind::kFunction;
  header.rule = factors::kNoRule;
  const propagation::OpId id = builder_.AddOp(header);
  ops_.push_back(nullptr);
  AddBlock(f->body, id);
}

void Freezer::AddUses() {
  std::vector<propagation::Use> uses;
  for (const Value* value : values_) {
    uses.clear();
    for (const Use* use = value->first_use(); use != nullptr; use = use->next()) {
      uses.push_back({use->user()->number, use->number()});
    }
    builder_.SetUses(value->number(), uses);
  }
}

void Freezer::AddEdge(const Op& op) {
  const Value* owner = op.operand(0);
  EdgeSpec edge;
  edge.owner = owner->number();
  edge.result = op.result()->number();
  for (const Value* source : SourcesOf(op)) edge.sources.push_back(source->number());
  const Op* around = owner->def() != nullptr ? owner->def() : owner->owner()->parent;
  if (around->kind == OpKind::kWhile) {
    for (const Block* block : around->blocks) {
      edge.other_targets.push_back(block->args[static_cast<size_t>(owner->index())]->number());
    }
  }
  if (around->kind == OpKind::kManualComputation) {
    edge.view = owner->def() == nullptr ? ManualView::kOuter : ManualView::kInner;
    edge.boundary = owner->sharding();
    edge.manual_axes = around->As<ManualInfo>()->manual_axes;
  }
  builder_.AddEdge(std::move(edge));
}

// The reference refuses a module in which an op has such a result; parameters may be dynamic.
absl::Status Freezer::CheckResults() const {
  absl::Status found;
  for (const Value* value : dynamic_results_) {
    const hlo::InstructionId source = value->def()->source;
    const bool has_place = source != hlo::kNoId;
    const size_t place = has_place ? graph_.module().instruction(source).source.begin : 0;
    text::Collect(
        text::ErrorAt(place, absl::StrCat("a result has the dynamic shape ",
                                          layout::ShapeToString(value->shape()),
                                          "; Shardy propagates through static shapes only")),
        &found);
  }
  return found;
}

absl::StatusOr<Frozen> Freezer::Run() {
  Function* entry = graph_.entry();
  Reserve();
  AddFunction(entry);
  TESSERA_RETURN_IF_ERROR(CheckResults());
  if (lost_ != nullptr) return ErrorAtOp(graph_, lost_, "an operand is made by no op before it");
  AddUses();
  for (const Op* edge : edges_) AddEdge(*edge);
  for (const std::vector<Op*>& marks : GroupMarks(graph_)) {
    std::vector<ValueId> members;
    for (const Op* mark : marks) members.push_back(mark->operand(0)->number());
    builder_.AddGroup(members);
  }
  const Op* result = entry->body->terminator();
  for (int i = 0; i < result->num_operands(); ++i) {
    builder_.AddOutput(
        {result->operand(i)->number(), entry->result_shardings[static_cast<size_t>(i)]});
  }
  auto program = std::move(builder_).Build();
  if (!program.ok()) return program.status();
  return Frozen{*std::move(program), std::move(ops_), std::move(values_)};
}

}  // namespace

absl::StatusOr<Frozen> Freeze(Graph* graph) { return Freezer(graph).Run(); }

}  // namespace tessera::sharding::graph
