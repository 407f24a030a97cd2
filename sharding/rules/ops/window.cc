// Ops that slide a window over a tensor. A dimension along which the window does not stretch nor
// step is passed through; along the others neighbours exchange data.

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {
namespace {

// Dilations are not looked at.
bool IsTrivial(const hlo::Window& window, size_t d) {
  if (d >= window.size()) return true;
  const hlo::WindowDimension& w = window[d];
  return w.size == 1 && w.stride == 1 && w.padding_low == 0 && w.padding_high == 0;
}

}  // namespace

// N inputs, N initial values (scalars), N results.
MaybeRule ReduceWindowRule(const OpView& op, const RuleMode& mode) {
  const hlo::Window window = hlo::GetWindow(*op.module, op.instruction);
  const Dims shape = ResultDims(op, 0);
  RuleBuilder b(op);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (IsTrivial(window, d)) {
      b.FactorAll(d, shape[d]);
    } else {
      b.FactorAll(d, shape[d], kPermutation, BlockedIf(mode.conservative));
    }
  }
  return b.Build();
}

// Operands: the tensor, the source of the values, the initial value.
MaybeRule SelectAndScatterRule(const OpView& op, const RuleMode& mode) {
  const hlo::Window window = hlo::GetWindow(*op.module, op.instruction);
  const Blocked blocked = BlockedIf(mode.conservative);
  const Dims source = OperandDims(op, 1);
  const Dims shape = ResultDims(op, 0);
  RuleBuilder b(op);
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (IsTrivial(window, d)) {
      b.FactorAll(d, shape[d]);
    } else {
      b.Factor({kNone, d, kNone}, {kNone}, SizeAt(source, d), kNeedReplication, blocked);
      b.Factor({d, kNone, kNone}, {d}, shape[d], kPermutation, blocked);
    }
  }
  return b.Build();
}

}  // namespace tessera::sharding::rules
