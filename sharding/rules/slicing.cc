// Ops that take, put or join parts of tensors along whole dimensions. A dimension that keeps its
// size is passed through, whatever the op moves within it.

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {

MaybeRule SliceRule(const OpView& op, const RuleMode& mode) {
  RuleBuilder b(op);
  b.Mismatch(OperandDims(op, 0), ResultDims(op, 0), kPermutation, BlockedIf(mode.conservative));
  return b.Build();
}

MaybeRule PadRule(const OpView& op, const RuleMode& mode) { return SliceRule(op, mode); }

MaybeRule DynamicSliceRule(const OpView& op, const RuleMode&) {
  RuleBuilder b(op);
  b.Mismatch(OperandDims(op, 0), ResultDims(op, 0), kNeedReplication, Blocked::kYes);
  return b.Build();
}

// Operands: the tensor, the update, the start indices.
MaybeRule DynamicUpdateSliceRule(const OpView& op, const RuleMode&) {
  const Dims whole = OperandDims(op, 0);
  const Dims update = OperandDims(op, 1);
  const FactorKind of_update = op.neighbours.constant_indices ? kPassThrough : kNeedReplication;
  const DimList no_indices = Same(op.operands.size() - 2, kNone);
  RuleBuilder b(op);
  for (int64_t d = 0; d < static_cast<int64_t>(whole.size()); ++d) {
    if (whole[d] == SizeAt(update, d)) {
      b.FactorAll(d, whole[d]);
    } else {
      b.Factor(Join({d, kNone}, no_indices), {d}, whole[d]);
      b.Factor(Join({kNone, d}, no_indices), {kNone}, SizeAt(update, d), of_update);
    }
  }
  return b.Build();
}

// Along the joined dimension the factor has the size of the result.
MaybeRule ConcatenateRule(const OpView& op, const RuleMode& mode) {
  const hlo::IntList along = DimensionsOf(op);
  const Dims shape = ResultDims(op, 0);
  RuleBuilder b(op);
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    const bool joined = !along.empty() && d == along[0];
    if (!joined) {
      b.FactorAll(d, shape[d]);
    } else if (!mode.conservative) {
      b.FactorAll(d, shape[d], op.neighbours.joins_slices ? kPermutation : kNeedReplication);
    }
  }
  return b.Build();
}

}  // namespace tessera::sharding::rules
