// transpose: a factor for each dimension of the result. f32[2,5,3] transpose(f32[5,3,2]),
// dimensions={2,0,1}: "([j, k, i])->([i, j, k])". Tested by shape_ops_test.cc.

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
