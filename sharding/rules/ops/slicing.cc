// Ops that take, put or join parts of tensors along whole dimensions. A dimension that keeps its
// size is passed through, whatever the op moves within it.

#include <vector>

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {
namespace {

// The kinds of the two factors of a dimension that is updated in part.
struct UpdateKinds {
  FactorKind whole = kPassThrough;
  FactorKind update = kNeedReplication;
};

UpdateKinds UpdateKindsOf(const OpView& op, const reference::Behaviors& behaviors) {
  if (behaviors.update_slices_permute) return {kPermutation, kPermutation};
  const bool constant = op.neighbours.constant_indices && behaviors.constant_update_passes;
  return {kPassThrough, constant ? kPassThrough : kNeedReplication};
}

bool JoinMovesOnly(const OpView& op, const reference::Behaviors& behaviors) {
  return op.neighbours.joins_slices ||
         (op.neighbours.joins_one_value && !behaviors.same_value_concatenate_replicates);
}

}  // namespace

MaybeRule SliceRule(const OpView& op, const RuleMode& mode) {
  RuleBuilder b(op);
  b.Mismatch(OperandDims(op, 0), ResultDims(op, 0), kPermutation, BlockedIf(mode.conservative));
  return b.Build();
}

// A dimension that is padded at one edge and cut at the other may keep its size; its elements move
// all the same.
MaybeRule PadRule(const OpView& op, const RuleMode& mode) {
  if (!mode.behaviors.padding_permutes) return SliceRule(op, mode);
  const std::vector<hlo::PaddingDimension> padding = hlo::GetPadding(*op.module, op.instruction);
  const Dims in = OperandDims(op, 0);
  const Dims out = ResultDims(op, 0);
  if (padding.size() != in.size() || out.size() != in.size()) return std::nullopt;
  RuleBuilder b(op);
  for (size_t d = 0; d < in.size(); ++d) {
    const bool resizes = in[d] != out[d];
    const bool moves = padding[d].low != 0 || padding[d].high != 0 || padding[d].interior != 0;
    b.FactorAll(d, in[d], resizes || moves ? kPermutation : kPassThrough,
                BlockedIf(resizes && mode.conservative));
  }
  return b.Build();
}

MaybeRule DynamicSliceRule(const OpView& op, const RuleMode&) {
  RuleBuilder b(op);
  b.Mismatch(OperandDims(op, 0), ResultDims(op, 0), kNeedReplication, Blocked::kYes);
  return b.Build();
}

// Operands: the tensor, the update, the start indices.
MaybeRule DynamicUpdateSliceRule(const OpView& op, const RuleMode& mode) {
  const Dims whole = OperandDims(op, 0);
  const Dims update = OperandDims(op, 1);
  const UpdateKinds kinds = UpdateKindsOf(op, mode.behaviors);
  const DimList no_indices = Same(op.operands.size() - 2, kNone);
  RuleBuilder b(op);
  for (int64_t d = 0; d < static_cast<int64_t>(whole.size()); ++d) {
    if (whole[d] == SizeAt(update, d)) {
      b.FactorAll(d, whole[d]);
    } else {
      b.Factor(Join({d, kNone}, no_indices), {d}, whole[d], kinds.whole);
      b.Factor(Join({kNone, d}, no_indices), {kNone}, SizeAt(update, d), kinds.update);
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
      const bool moves = JoinMovesOnly(op, mode.behaviors);
      b.FactorAll(d, shape[d], moves ? kPermutation : kNeedReplication);
    }
  }
  return b.Build();
}

}  // namespace tessera::sharding::rules
