// One walk in the order of the program gives numbers: an op before the ops of its blocks, the
// arguments of a block before its ops. So what an op reads has a number when the op is met, and an
// operand without one is a fault.
//
//   x = add(a, b)            op 1, value 2       tensors: 0 1 | 2
//   w = while(x) { .. }      op 2, value 3       tensors: 2 | 3, then the ops of its two blocks
//
// Edges and groups come last: they are links between values, of which all have numbers then.
//
// Linear in ops and operands. Tested in numbered_program_test.cc.

#include "tessera/sharding/propagation/numbered_program.h"

#include <numeric>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/program/edges.h"
#include "tessera/sharding/program/payload.h"

namespace tessera::sharding::propagation {

using program::Block;
using program::Op;
using program::Use;
using program::Value;

NumberedProgram::NumberedProgram(program::Program* program, const TraitsSource& traits_of) {
  const program::Function& entry = *program->entry();
  Reserve(*program);
  ops_.push_back(nullptr);
  facts_.emplace_back();
  begin_.push_back(0);
  AddBlock(entry.body, 0, traits_of);
  tensors_.resize(static_cast<size_t>(begin_.back()));
  owner_.resize(values_.size());
  std::iota(owner_.begin(), owner_.end(), ValueId{0});
  if (lost_reader_ != kNone) return;
  if (program->HasAny({OpKind::kDataFlowEdge})) AddEdges();
  if (program->HasAny({OpKind::kShardingGroup})) AddGroups();
  AddOutputs(entry);
}

// Ops have one result and two operands, give or take.
void NumberedProgram::Reserve(const program::Program& program) {
  size_t ops = 1;
  for (size_t kind = 0; kind < program::kNumOpKinds; ++kind) {
    ops += static_cast<size_t>(program.CountOf(static_cast<OpKind>(kind)));
  }
  const size_t more = ops + ops / 8;
  ops_.reserve(ops);
  facts_.reserve(ops);
  begin_.reserve(ops + 1);
  tensors_.resize(3 * ops);
  values_.reserve(more);
  def_.reserve(more);
}

void NumberedProgram::AddBlock(Block* block, OpId parent, const TraitsSource& traits_of) {
  for (Value* arg : block->args) AddValue(arg, parent);
  for (Op* op = block->first; op != nullptr; op = op->next) AddOp(op, traits_of);
}

void NumberedProgram::AddOp(Op* op, const TraitsSource& traits_of) {
  const OpId number = static_cast<OpId>(ops_.size());
  op->number = number;
  ops_.push_back(op);
  facts_.push_back({op->kind, traits_of(*op)});
  ValueId* tensor = RoomFor(op->operands.size() + op->results.size());
  for (const Use& use : op->operands) *tensor++ = NumberOf(use.value(), number);
  for (Value& result : op->results) {
    *tensor = AddValue(&result, number);
    if (result.is_array() && result.shape().has_dynamic_dim()) dynamic_results_.push_back(*tensor);
    ++tensor;
  }
  begin_.push_back(static_cast<int32_t>(tensor - tensors_.data()));
  for (Block* block : op->blocks()) AddBlock(block, number, traits_of);
}

// After the tensors of the ops so far. The list is cut to its length in the end.
ValueId* NumberedProgram::RoomFor(size_t tensors) {
  const size_t end = static_cast<size_t>(begin_.back());
  if (end + tensors > tensors_.size()) tensors_.resize(2 * end + tensors);
  return tensors_.data() + end;
}

ValueId NumberedProgram::AddValue(Value* value, OpId def) {
  const ValueId number = static_cast<ValueId>(values_.size());
  value->set_number(number);
  values_.push_back(value);
  def_.push_back(def);
  return number;
}

// A number that another pass has left in the value is none of this walk.
ValueId NumberedProgram::NumberOf(const Value* value, OpId reader) {
  const size_t number = static_cast<size_t>(value->number());
  if (number < values_.size() && values_[number] == value) return value->number();
  if (lost_reader_ == kNone) lost_reader_ = reader;
  return 0;
}

OpId NumberedProgram::end_of(OpId o) const {
  const Op* const op = ops_[o];
  if (op == nullptr) return num_ops();
  return op->next == nullptr ? o + 1 : op->next->number;
}

void NumberedProgram::AddOutputs(const program::Function& function) {
  const Op* const result = function.body->terminator();
  for (int i = 0; i < result->num_operands(); ++i) {
    outputs_.push_back(
        {result->operand(i)->number(), function.result_shardings[static_cast<size_t>(i)]});
  }
}

void NumberedProgram::AddEdges() {
  edge_of_op_.assign(ops_.size(), kNone);
  for (OpId o = 0; o < num_ops(); ++o) {
    if (kind(o) != OpKind::kDataFlowEdge) continue;
    edge_of_op_[o] = static_cast<EdgeId>(edges_.size());
    AddEdge(*ops_[o]);
  }
}

void NumberedProgram::AddEdge(const Op& op) {
  const Value* const owner = op.operand(0);
  EdgeSpec edge;
  edge.owner = owner->number();
  edge.result = op.result()->number();
  for (const Value* source : program::SourcesOf(op)) edge.sources.push_back(source->number());
  for (const Value* target : program::OtherTargetsOf(op)) {
    edge.other_targets.push_back(target->number());
  }
  const Op* const around = program::OpOf(*owner);
  if (around->kind == OpKind::kManualComputation) {
    edge.view = owner->def() == nullptr ? ManualView::kOuter : ManualView::kInner;
    edge.boundary = owner->sharding();
    edge.manual_axes = around->As<program::ManualInfo>()->manual_axes;
  }
  owner_[edge.owner] = edge.result;
  for (const ValueId target : edge.other_targets) owner_[target] = edge.result;
  edges_.push_back(std::move(edge));
}

void NumberedProgram::AddGroups() {
  for (OpId o = 0; o < num_ops(); ++o) {
    if (kind(o) != OpKind::kShardingGroup) continue;
    const size_t group = static_cast<size_t>(ops_[o]->attribute);
    if (groups_.size() <= group) groups_.resize(group + 1);
    groups_[group].push_back(tensors(o)[0]);
  }
  group_.assign(values_.size(), kNone);
  for (size_t g = 0; g < groups_.size(); ++g) JoinGroup(static_cast<GroupId>(g), &groups_[g]);
}

// The owners of the members, each once. One that an edge serves takes from the group, but what the
// edge gets stays with the edge.
void NumberedProgram::JoinGroup(GroupId group, std::vector<ValueId>* members) {
  std::vector<ValueId> owners;
  absl::flat_hash_set<ValueId> seen;
  for (const ValueId member : *members) {
    const ValueId owner = owner_[member];
    if (owner == member) group_[owner] = group;
    if (seen.insert(owner).second) owners.push_back(owner);
  }
  *members = std::move(owners);
}

}  // namespace tessera::sharding::propagation
