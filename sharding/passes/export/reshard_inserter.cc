#include "tessera/sharding/passes/export/reshard_inserter.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

using reshard::Conversion;
using reshard::ConversionKind;
using reshard::Version;

OpKind KindOf(ConversionKind kind) {
  switch (kind) {
    case ConversionKind::kAllReduce:
      return OpKind::kAllReduce;
    case ConversionKind::kReplicatedToUnreduced:
      return OpKind::kReplicatedToUnreduced;
    case ConversionKind::kShardedToUnreduced:
      return OpKind::kShardedToUnreduced;
    default:
      return OpKind::kReshard;
  }
}

TensorSharding WithoutUnreduced(const TensorSharding& s, const AxisList& axes) {
  TensorSharding summed = s;
  AxisList& left = summed.mutable_unreduced_axes();
  const auto is_summed = [&](AxisRef axis) { return absl::c_linear_search(axes, axis); };
  left.erase(std::remove_if(left.begin(), left.end(), is_summed), left.end());
  return summed;
}

}  // namespace

const TensorSharding* ReshardInserter::Of(const Value* value) {
  return program_.Find(EffectiveSharding(program_, value));
}

Op* ReshardInserter::Add(OpKind kind, Value* operand, const TensorSharding& sharding,
                         InsertPoint where) {
  Op* op = program_.AddOp({kind, hlo::kNoId, OpPart::kInserted, true}, {operand},
                          {&operand->shape()}, where);
  op->result()->set_sharding(program_.shardings().Intern(sharding));
  return op;
}

Op* ReshardInserter::AddReshard(Value* operand, const TensorSharding& sharding, InsertPoint where) {
  return Add(OpKind::kReshard, operand, sharding, where);
}

Op* ReshardInserter::AddStep(const Conversion& step, Value* operand, InsertPoint where) {
  Op* op = Add(KindOf(step.kind), operand, step.sharding, where);
  if (step.kind == ConversionKind::kReshard) return op;
  AxesInfo* info = program_.NewPayload<AxesInfo>(op);
  info->axes = step.axes_per_dim;
  if (step.kind != ConversionKind::kShardedToUnreduced) info->axes = {step.axes};
  return op;
}

absl::Status ReshardInserter::Convert(Use& use, const TensorSharding* target, Version version,
                                      InsertPoint where) {
  const TensorSharding* from = Of(use.value());
  if (version == Version::kMinimal && !HasUnreduced(from) && !HasUnreduced(target)) {
    return absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(
      const std::vector<Conversion> steps,
      reshard::ToTarget(from, target, version, program_.meshes(), program_.behaviors()));
  for (const Conversion& step : steps) {
    use.Set(AddStep(step, use.value(), where)->result());
  }
  return absl::OkStatus();
}

void ReshardInserter::Sum(Use& use, const TensorSharding* result) {
  const TensorSharding* from = Of(use.value());
  if (!HasUnreduced(from)) return;
  const AxisList axes = reshard::UnreducedToSum(*from, result, program_.meshes());
  if (axes.empty()) return;
  Conversion step;
  step.kind = ConversionKind::kAllReduce;
  step.axes = axes;
  step.sharding = WithoutUnreduced(*from, axes);
  use.Set(AddStep(step, use.value(), InsertPoint::Before(use.user()))->result());
}

void ReshardInserter::ReplaceBySteps(Op* op, const std::vector<Conversion>& steps) {
  Value* value = op->operand(0);
  for (const Conversion& step : steps) {
    Op* made = AddStep(step, value, InsertPoint::Before(op));
    if (&step == &steps.back()) {
      made->source = op->source;
      made->opcode = op->opcode;
    }
    value = made->result();
  }
  op->result()->ReplaceAllUsesWith(value);
  op->result()->ForwardTo(value);
  program_.Erase(op);
}

}  // namespace tessera::sharding::passes
