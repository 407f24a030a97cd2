#include <algorithm>

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {

// Factors follow the dimensions of the result. Where an operand dimension of size 1 is blown up in
// place, the two sides have a factor of their own.
MaybeRule BroadcastRule(const OpView& op, const RuleMode&) {
  const hlo::IntList map = DimensionsOf(op);
  const Dims in = OperandDims(op, 0);
  const Dims out = ResultDims(op, 0);
  RuleBuilder b(op);
  for (size_t o = 0; o < out.size(); ++o) {
    const auto found = std::find(map.begin(), map.end(), o);
    int64_t n = found == map.end() ? kNone : found - map.begin();
    if (n != kNone && SizeAt(in, n) == 1 && out[o] != 1) {
      b.Factor({n}, {kNone}, 1);
      n = kNone;
    }
    b.Factor({n}, {static_cast<int64_t>(o)}, out[o]);
  }
  return b.Build();
}

}  // namespace tessera::sharding::rules
