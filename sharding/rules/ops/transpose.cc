#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {

MaybeRule TransposeRule(const OpView& op, const RuleMode&) {
  const hlo::IntList permutation = DimensionsOf(op);
  const Dims in = OperandDims(op, 0);
  RuleBuilder b(op);
  for (size_t o = 0; o < permutation.size(); ++o) {
    const int64_t n = permutation[o];
    b.Factor({n}, {static_cast<int64_t>(o)}, SizeAt(in, n));
  }
  return b.Build();
}

}  // namespace tessera::sharding::rules
