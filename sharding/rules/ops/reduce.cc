#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {

// N inputs, N initial values (scalars), N results.
MaybeRule ReduceRule(const OpView& op, const RuleMode&) {
  const hlo::IntList reduced = DimensionsOf(op);
  const size_t n = op.operands.size() / 2;
  const Dims shape = OperandDims(op, 0);
  RuleBuilder b(op);
  int64_t r = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    const DimList operands = Join(Same(n, d), Same(op.operands.size() - n, kNone));
    if (Has(reduced, d)) {
      b.Factor(operands, Same(op.results.size(), kNone), shape[d], kReduction);
    } else {
      b.Factor(operands, Same(op.results.size(), r++), shape[d]);
    }
  }
  return b.Build();
}

}  // namespace tessera::sharding::rules
