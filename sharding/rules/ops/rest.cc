// Ops that are a family of their own.

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {

// x, and four vectors of one element for each feature.
MaybeRule BatchNormInferenceRule(const OpView& op, const RuleMode& mode) {
  if (!mode.behaviors.batch_norm_inference_rule) return std::nullopt;
  const int64_t feature =
      hlo::GetInt(*op.module, op.instruction, hlo::AttributeName::kFeatureIndex).value_or(kNone);
  const Dims x = OperandDims(op, 0);
  RuleBuilder b(op);
  for (int64_t d = 0; d < static_cast<int64_t>(x.size()); ++d) {
    b.Factor(Join({d}, Same(4, d == feature ? 0 : kNone)), {d}, x[d]);
  }
  return b.Build();
}

// Dimensions that are transformed are needed whole. A real transform changes the size of the last
// one; what is a good sharding of the one side says nothing about the other then.
MaybeRule FftRule(const OpView& op, const RuleMode&) {
  const size_t transformed =
      hlo::GetInts(*op.module, op.instruction, hlo::AttributeName::kFftLength)
          .value_or(hlo::IntList())
          .size();
  const Dims in = OperandDims(op, 0);
  const Dims out = ResultDims(op, 0);
  RuleBuilder b(op);
  for (size_t d = 0; d < in.size(); ++d) {
    const bool last = d + 1 == in.size();
    if (d + transformed < in.size()) {
      b.FactorAll(d, in[d]);
    } else {
      b.FactorAll(d, in[d], kNeedReplication, BlockedIf(last && SizeAt(out, d) != in[d]));
    }
  }
  return b.Build();
}

// The state, and the data. The form of the op that returns the data alone is treated as if it
// returned the state as well.
MaybeRule RngBitGeneratorRule(const OpView& op, const RuleMode&) {
  const ShapeList results = {op.operands[0], op.results.back()};
  RuleBuilder b(op.operands, results);
  const Dims state = OperandDims(op, 0);
  const Dims data = op.results.back()->dims();
  for (int64_t d = 0; d < static_cast<int64_t>(state.size()); ++d) {
    b.Factor({d}, {d, kNone}, state[d], kNeedReplication, Blocked::kYes);
  }
  for (int64_t d = 0; d < static_cast<int64_t>(data.size()); ++d) {
    b.Factor({kNone}, {kNone, d}, data[d]);
  }
  return b.Build();
}

}  // namespace tessera::sharding::rules
