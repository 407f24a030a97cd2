// Collectives that are written in the program, as opposed to those that a sharding implies. Those
// that keep the shape are pointwise; these change one dimension, which both sides need whole.

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {

// all-gather, reduce-scatter; also with several operands.
MaybeRule GatherAlongRule(const OpView& op, const RuleMode&) {
  const hlo::IntList along = DimensionsOf(op);
  if (along.size() != 1) return std::nullopt;
  const int64_t g = along[0];
  const Dims in = OperandDims(op, 0);
  RuleBuilder b(op);
  for (int64_t d = 0; d < static_cast<int64_t>(in.size()); ++d) {
    if (d != g) b.FactorAll(d, in[d]);
  }
  b.FactorOperands(g, SizeAt(in, g), kNeedReplication);
  b.FactorResults(g, SizeAt(ResultDims(op, 0), g), kNeedReplication);
  return b.Build();
}

// The form on one array splits and joins along the same dimension. The form on tuples has no rule.
MaybeRule AllToAllRule(const OpView& op, const RuleMode& mode) {
  const bool array_form = op.operands.size() == 1 && op.results.size() == 1;
  return array_form ? GatherAlongRule(op, mode) : std::nullopt;
}

}  // namespace tessera::sharding::rules
