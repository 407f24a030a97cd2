#include "tessera/testing/propagation/test_program.h"

#include "absl/strings/str_cat.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/program/edges.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::propagation {
namespace {

using program::Block;
using program::InsertPoint;
using program::Op;
using program::Value;

layout::Shape ShapeOf(const Tensor& tensor) {
  return layout::Shape::Array(layout::ElementType::kF32, tensor.dims);
}

bool MayHaveEdge(const Value& value) {
  const Op* const op = program::OpOf(value);
  if (op == nullptr) return false;
  switch (op->kind) {
    case OpKind::kWhile:
    case OpKind::kCase:
    case OpKind::kOptBarrier:
      return value.def() != nullptr;
    case OpKind::kNamedComputation:
    case OpKind::kManualComputation:
      return true;
    default:
      return false;
  }
}

}  // namespace

TestProgram::TestProgram() {
  program::Function* const main = program_.AddFunction("main", program::kNoOrigin);
  main->is_entry = true;
  open_.push_back(main->body);
}

Value* TestProgram::AddArgument(const Tensor& tensor) {
  Value* const value = program_.AddArg(block(), program_.KeepShape(ShapeOf(tensor)));
  value->set_sharding(tensor.sharding);
  return value;
}

Op* TestProgram::AddOp(const OpSpec& spec, absl::Span<Value* const> operands,
                       absl::Span<const Tensor> results) {
  program::OpHead head;
  head.kind = spec.kind;
  head.pure = spec.removable;
  std::vector<const layout::Shape*> shapes;
  for (const Tensor& tensor : results) shapes.push_back(program_.KeepShape(ShapeOf(tensor)));
  Op* const op = program_.AddOp(head, operands, shapes, InsertPoint::AtEnd(block()));
  for (size_t i = 0; i < results.size(); ++i) op->results[i].set_sharding(results[i].sharding);
  if (spec.kind == OpKind::kPropagationBarrier) op->attribute = static_cast<int64_t>(spec.barrier);
  specs_[op] = spec;
  return op;
}

Value* TestProgram::AddEdge(Value* owner, ShardingId sharding) {
  OpSpec spec;
  spec.kind = OpKind::kDataFlowEdge;
  const auto dims = owner->shape().dims();
  return AddOp(spec, {owner}, {{{dims.begin(), dims.end()}, sharding}})->result();
}

void TestProgram::AddToGroup(int64_t group, Value* member) {
  OpSpec spec;
  spec.kind = OpKind::kShardingGroup;
  AddOp(spec, {member})->attribute = group;
}

void TestProgram::OpenBlock() {
  Op* const op = block()->last;
  Block* const made = program_.NewBlock(block()->function, program::kNoOrigin);
  program_.AddBlock(op, made);
  open_.push_back(made);
}

void TestProgram::CloseBlock(absl::Span<Value* const> yielded) {
  OpSpec spec;
  spec.kind = OpKind::kReturn;
  AddOp(spec, yielded);
  open_.pop_back();
}

absl::Status TestProgram::Return(absl::Span<Value* const> values,
                                 absl::Span<const ShardingId> shardings) {
  if (open_.size() != 1) return absl::InvalidArgumentError("a block is open");
  if (values.size() != shardings.size()) {
    return absl::InvalidArgumentError("not one sharding for each output");
  }
  program_.entry()->result_shardings.assign(shardings.begin(), shardings.end());
  CloseBlock(values);
  if (absl::Status status = CheckEdges(); !status.ok()) return status;
  numbered_.emplace(&program_, [this](const Op& op) {
    const OpSpec& spec = specs_.at(&op);
    return OpTraits{spec.element_wise, spec.flow};
  });
  const OpId lost = numbered_->lost_reader();
  if (lost == kNone) return CheckGroups();
  return absl::InvalidArgumentError(absl::StrCat("op ", lost, " reads what no op before it makes"));
}

absl::Status TestProgram::CheckEdges() const {
  absl::Status status;
  program::ForEachOp(program_, [&](Op* op) {
    if (op->kind != OpKind::kDataFlowEdge || MayHaveEdge(*op->operand(0))) return;
    status.Update(absl::InvalidArgumentError("an edge of a value that has none"));
  });
  return status;
}

absl::Status TestProgram::CheckGroups() const {
  std::map<ValueId, int64_t> group_of;
  for (const Op* op : numbered().ops()) {
    if (op == nullptr || op->kind != OpKind::kShardingGroup) continue;
    const ValueId member = op->operand(0)->number();
    if (group_of.try_emplace(member, op->attribute).first->second == op->attribute) continue;
    return absl::InvalidArgumentError(absl::StrCat("value ", member, " is in two groups"));
  }
  return absl::OkStatus();
}

RuleId TestProgram::RuleOf(OpId o) const {
  const auto found = specs_.find(numbered().op(o));
  return found == specs_.end() ? factors::kNoRule : found->second.rule;
}

std::vector<RuleId> TestProgram::AllRules() const {
  std::vector<RuleId> rules;
  for (OpId o = 0; o < numbered().num_ops(); ++o) rules.push_back(RuleOf(o));
  return rules;
}

}  // namespace tessera::sharding::propagation
