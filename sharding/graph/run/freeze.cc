// One walk in the order of the program numbers ops and values, an op before the ops of its blocks
// and the values of a block's arguments before its ops: what an op reads has a number when the op
// is met, and an operand without one is an error. Each number is a row of the columns of
// ProgramColumns; the ops of a region are the rows from behind its op to its subtree_end.
//
//   x = add(a, b)            row 1, values 2       tensors: 0 1 | 2
//   w = while(x) { .. }      row 2, value 3        tensors: 2 | 3, then the rows of its two blocks
//
// Uses come last, when all users have numbers, value by value and in the order of the graph's
// lists: that order decides conflicts (docs/graph.md). Then edges and groups, which are links
// between values.
//
// Linear in ops, operands and distinct shapes. Tested by the pairs, and by program_builder_test.cc
// for what the columns must hold.

#include "tessera/sharding/graph/run/freeze.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/graph/prepare/edges.h"
#include "tessera/sharding/graph/prepare/groups.h"
#include "tessera/sharding/graph/queries/op_error.h"
#include "tessera/sharding/graph/run/hlo_view.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/propagation/program_links.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/error_list.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

using propagation::Direction;
using propagation::EdgeSpec;
using propagation::ManualView;
using propagation::OpId;
using propagation::OpSpec;
using propagation::ShapeId;
using propagation::ValueId;

// Fills the columns in one walk: an op is behind its results and in front of its regions.
class Freezer {
 public:
  explicit Freezer(Graph* graph) : graph_(*graph) {}

  absl::StatusOr<Frozen> Run();

 private:
  void Reserve();
  void AddFunction(Function* f);
  void AddBlock(Block* block, OpId parent);
  void AddOp(Op* op, OpId parent);
  void AddRow(Op* op, const OpSpec& spec);
  void AddValue(Value* value, OpId def, bool is_block_argument);
  ShapeId ShapeOf(const layout::Shape& shape);
  void AddUses();
  void AddEdge(const Op& edge);
  void AddGroups();
  absl::Status CheckResults() const;

  OpSpec SpecOf(const Op& op) const;

  Graph& graph_;
  propagation::ProgramColumns c_;
  absl::flat_hash_map<const layout::Shape*, ShapeId> shapes_;
  absl::flat_hash_map<std::vector<int64_t>, ShapeId> dims_;
  std::vector<Op*> ops_;
  std::vector<Value*> values_;
  size_t num_results_ = 0;  // among the tensors; the others are uses
  std::vector<const Op*> edges_;
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

OpSpec Freezer::SpecOf(const Op& op) const {
  OpSpec spec;
  spec.kind = KindOf(op);
  const rules::OpTraits traits = TraitsOf(graph_, op);
  spec.element_wise = traits.element_wise;
  spec.flow = traits.flow;
  spec.removable = op.pure && op.blocks().empty() && op.num_results() > 0;
  if (op.kind != OpKind::kHlo && op.kind != OpKind::kConstraint) spec.rule = factors::kNoRule;
  if (op.kind == OpKind::kPropagationBarrier) spec.barrier = static_cast<Direction>(op.attribute);
  return spec;
}

// Equal dimensions share one id.
ShapeId Freezer::ShapeOf(const layout::Shape& shape) {
  const auto [it, is_new] = shapes_.try_emplace(&shape, propagation::kNoShape);
  if (!is_new) return it->second;
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  const auto [equal, is_first] =
      dims_.try_emplace(std::move(dims), static_cast<ShapeId>(c_.shapes.size()));
  if (is_first) c_.shapes.push_back(equal->first);
  return it->second = equal->second;
}

void Freezer::AddValue(Value* value, OpId def, bool is_block_argument) {
  const bool is_static = value->is_array() && !value->shape().has_dynamic_dim();
  if (!is_static && value->is_array() && !is_block_argument) dynamic_results_.push_back(value);
  value->set_number(static_cast<ValueId>(values_.size()));
  values_.push_back(value);
  c_.shape.push_back(is_static ? ShapeOf(value->shape()) : propagation::kNoShape);
  c_.sharding.push_back(value->sharding());
  c_.def.push_back(def);
  c_.is_block_argument.push_back(is_block_argument);
}

// Ends the row of an op, whose tensors have been added.
void Freezer::AddRow(Op* op, const OpSpec& spec) {
  ops_.push_back(op);
  c_.ops.push_back(spec);
  c_.begin.push_back(static_cast<int32_t>(c_.tensors.size()));
  c_.subtree_end.push_back(static_cast<OpId>(ops_.size()));
}

void Freezer::AddOp(Op* op, OpId parent) {
  op->number = static_cast<OpId>(ops_.size());
  for (const Use& use : op->operands) {
    if (use.value()->number() < 0 && lost_ == nullptr) lost_ = op;
    c_.tensors.push_back(use.value()->number());
  }
  c_.result_begin.push_back(static_cast<int32_t>(c_.tensors.size()));
  for (Value& result : op->results) {
    AddValue(&result, op->number, false);
    c_.tensors.push_back(result.number());
  }
  num_results_ += op->results.size();
  OpSpec spec = SpecOf(*op);
  spec.parent = parent;
  AddRow(op, spec);
  if (op->kind == OpKind::kDataFlowEdge) edges_.push_back(op);
  for (Block* block : op->blocks()) AddBlock(block, op->number);
  c_.subtree_end[static_cast<size_t>(op->number)] = static_cast<OpId>(ops_.size());
}

void Freezer::AddBlock(Block* block, OpId parent) {
  for (Value* arg : block->args) AddValue(arg, parent, true);
  for (Op* op = block->first; op != nullptr; op = op->next) AddOp(op, parent);
}

// Ops have one result and two operands, give or take.
void Freezer::Reserve() {
  size_t ops = 1;
  for (size_t kind = 0; kind < kNumOpKinds; ++kind) {
    ops += static_cast<size_t>(graph_.CountOf(static_cast<OpKind>(kind)));
  }
  const size_t more = ops + ops / 8;
  for (std::vector<int32_t>* column : {&c_.shape, &c_.def, &c_.begin, &c_.result_begin}) {
    column->reserve(more);
  }
  c_.sharding.reserve(more);
  c_.ops.reserve(ops);
  c_.subtree_end.reserve(ops);
  c_.tensors.reserve(3 * ops);
  ops_.reserve(ops);
  values_.reserve(more);
}

// The first op is the header of the function.
void Freezer::AddFunction(Function* f) {
  OpSpec header;
  header.kind = propagation::OpKind::kFunction;
  header.rule = factors::kNoRule;
  c_.result_begin.push_back(0);
  AddRow(nullptr, header);
  AddBlock(f->body, 0);
  c_.subtree_end[0] = static_cast<OpId>(ops_.size());
}

void Freezer::AddUses() {
  c_.uses.reserve(c_.tensors.size() - num_results_);
  c_.use_begin.reserve(values_.size());
  c_.use_count.reserve(values_.size());
  for (const Value* value : values_) {
    const size_t begin = c_.uses.size();
    for (const Use* use = value->first_use(); use != nullptr; use = use->next()) {
      c_.uses.push_back({use->user()->number, use->number()});
    }
    c_.use_begin.push_back(static_cast<int32_t>(begin));
    c_.use_count.push_back(static_cast<int32_t>(c_.uses.size() - begin));
  }
}

void Freezer::AddGroups() {
  for (const std::vector<Op*>& marks : GroupMarks(graph_)) {
    std::vector<ValueId>& members = c_.groups.emplace_back();
    for (const Op* mark : marks) members.push_back(mark->operand(0)->number());
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
    for (const Block* block : around->blocks()) {
      edge.other_targets.push_back(block->args[static_cast<size_t>(owner->index())]->number());
    }
  }
  if (around->kind == OpKind::kManualComputation) {
    edge.view = owner->def() == nullptr ? ManualView::kOuter : ManualView::kInner;
    edge.boundary = owner->sharding();
    edge.manual_axes = around->As<ManualInfo>()->manual_axes;
  }
  c_.edges.push_back(std::move(edge));
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
  AddGroups();
  const Op* result = entry->body->terminator();
  for (int i = 0; i < result->num_operands(); ++i) {
    c_.outputs.push_back(
        {result->operand(i)->number(), entry->result_shardings[static_cast<size_t>(i)]});
  }
  TESSERA_RETURN_IF_ERROR(propagation::LinkEdges(c_));
  TESSERA_RETURN_IF_ERROR(propagation::LinkGroups(c_));
  return Frozen{propagation::Program(std::move(c_)), std::move(ops_), std::move(values_)};
}

}  // namespace

absl::StatusOr<Frozen> Freeze(Graph* graph) { return Freezer(graph).Run(); }

}  // namespace tessera::sharding::graph
