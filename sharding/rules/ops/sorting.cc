// Ops that order the elements along one dimension, which they need whole.

#include <algorithm>

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {

// Shardings move along the sorted dimension all the same, unless there is nothing else to shard.
MaybeRule SortRule(const OpView& op, const RuleMode&) {
  const hlo::IntList along = DimensionsOf(op);
  if (along.size() != 1) return std::nullopt;
  const int64_t s = along[0];
  const Dims shape = OperandDims(op, 0);
  const int64_t rank = static_cast<int64_t>(shape.size());
  bool others_are_one = true;
  for (int64_t d = 0; d < rank; ++d) others_are_one &= d == s || shape[d] == 1;
  RuleBuilder b(op);
  for (int64_t d = 0; d < rank; ++d) {
    if (d == s) {
      b.FactorAll(d, shape[d], kNeedReplication, BlockedIf(others_are_one));
    } else {
      b.FactorAll(d, shape[d]);
    }
  }
  return b.Build();
}

MaybeRule TopkRule(const OpView& op, const RuleMode&) {
  RuleBuilder b(op);
  b.Mismatch(OperandDims(op, 0), ResultDims(op, 0), kNeedReplication, Blocked::kYes);
  return b.Build();
}

// x, iota, two initial values -> values, indices.
MaybeRule ApproxTopKRule(const OpView& op, const RuleMode&) {
  if (op.operands.size() != 4 || op.results.size() != 2) return std::nullopt;
  const Dims x = OperandDims(op, 0);
  const Dims values = ResultDims(op, 0);
  RuleBuilder b(op);
  for (int64_t d = 0; d < static_cast<int64_t>(x.size()); ++d) {
    const int64_t kept = SizeAt(values, d);
    if (x[d] == kept) {
      b.FactorAll(d, x[d]);
    } else {
      b.Factor({d, d, kNone, kNone}, {kNone, kNone}, x[d]);
      b.Factor({kNone, kNone, kNone, kNone}, {d, d}, kept, kNeedReplication, Blocked::kYes);
    }
  }
  return b.Build();
}

}  // namespace tessera::sharding::rules
