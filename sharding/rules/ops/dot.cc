// A factor for each dimension of the result: the batch pairs, the free dimensions of lhs, those of rhs. Then a
// reduction factor for each contracting pair, in the order of the attributes.
//
//   f32[2,8,6] dot(f32[2,8,4], f32[2,4,6])  ->  ([i, j, l], [i, l, k])->([i, j, k]) {..} reduction={l}
//
// Cost: linear in the ranks. Tested by contraction_ops_test.cc.

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {

MaybeRule DotRule(const OpView& op, const RuleMode&) {
  const hlo::DotDimensions dims = hlo::GetDotDimensions(*op.module, op.instruction);
  const Dims lhs = OperandDims(op, 0);
  const Dims rhs = OperandDims(op, 1);
  if (dims.lhs_batch.size() != dims.rhs_batch.size() ||
      dims.lhs_contracting.size() != dims.rhs_contracting.size()) {
    return std::nullopt;
  }
  RuleBuilder b(op);
  int64_t r = 0;
  for (size_t k = 0; k < dims.lhs_batch.size(); ++k) {
    b.Factor({dims.lhs_batch[k], dims.rhs_batch[k]}, {r++}, SizeAt(lhs, dims.lhs_batch[k]));
  }
  for (int64_t d = 0; d < static_cast<int64_t>(lhs.size()); ++d) {
    if (Has(dims.lhs_batch, d) || Has(dims.lhs_contracting, d)) continue;
    b.Factor({d, kNone}, {r++}, lhs[d]);
  }
  for (int64_t d = 0; d < static_cast<int64_t>(rhs.size()); ++d) {
    if (Has(dims.rhs_batch, d) || Has(dims.rhs_contracting, d)) continue;
    b.Factor({kNone, d}, {r++}, rhs[d]);
  }
  for (size_t k = 0; k < dims.lhs_contracting.size(); ++k) {
    const int64_t d = dims.lhs_contracting[k];
    b.Factor({d, dims.rhs_contracting[k]}, {kNone}, SizeAt(lhs, d), kReduction);
  }
  return b.Build();
}

}  // namespace tessera::sharding::rules
