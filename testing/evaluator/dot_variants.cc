// Dot with scales, and dot whose rows belong to groups of sizes that are data.
#include <algorithm>

#include "tessera/testing/evaluator/arithmetic.h"
#include "tessera/testing/evaluator/dot.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

// `a` in the type of the sum, each cell times the cell of `scale` whose block it is in.
Array Scaled(const Array& a, const Array& scale, ElementType held) {
  static const BinaryRow& multiply = *FindBinary(Opcode::kMultiply);
  Array out = MakeArray(held, a.dims);
  for (int64_t i = 0; i < a.size(); ++i) {
    ZPoint at = IndexOf(i, a.dims);
    for (int d = 0; d < scale.rank(); ++d)
      at[d] /= std::max<int64_t>(1, a.dims[d] / std::max<int64_t>(1, scale.dims[d]));
    const Cell factor = scale.rank() == a.rank() ? scale.At(at) : scale.cells[0];
    out.cells[i] = Apply2(multiply, held, Widened(a.type, held, a.cells[i]),
                          Widened(scale.type, held, factor));
  }
  return out;
}

// The group of a row: groups follow each other; -1 for rows beyond the last one.
int64_t GroupOf(const Array& sizes, int64_t row) {
  for (int64_t g = 0; g < sizes.size(); ++g) {
    if (row < sizes.cells[g].i) return g;
    row -= sizes.cells[g].i;
  }
  return -1;
}

}  // namespace

absl::StatusOr<Value> ScaledDot(const Op& op) {
  const ElementType held = AccumulatorType(op.shape().element_type());
  const Value lhs = Scaled(op.in(0), op.in(2), held), rhs = Scaled(op.in(1), op.in(3), held);
  const std::vector<const Value*> operands = {&lhs, &rhs};
  return Dot(Op{op.interpreter, op.module, op.id, operands});
}

// The mode whose ragged dimension is a free one of lhs: each row meets the matrix of its group.
absl::StatusOr<Value> RaggedDot(const Op& op) {
  const Array &lhs = op.in(0), &rhs = op.in(1), &sizes = op.in(2);
  hlo::DotDimensions d = hlo::GetDotDimensions(op.module, op.id);
  const bool rows = d.lhs_ragged.size() == 1 && !Contains(d.lhs_contracting, d.lhs_ragged[0]) &&
                    !Contains(d.lhs_batch, d.lhs_ragged[0]) && d.rhs_group.size() == 1;
  if (!rows || sizes.rank() != 1)
    return absl::UnimplementedError("ragged-dot along a contracting or batch dimension");
  const int group_dim = static_cast<int>(d.rhs_group[0]);
  hlo::DotDimensions with_group = d;  // the group is a coordinate of rhs like a contracting one
  with_group.rhs_contracting.push_back(group_dim);
  const DotPlaces places = PlacesOf(with_group, lhs, rhs);
  const auto free = std::find(places.lhs_free.begin(), places.lhs_free.end(), d.lhs_ragged[0]);
  const int row_axis = static_cast<int>(d.lhs_batch.size() + (free - places.lhs_free.begin()));
  Array out = op.Out();
  const ElementType held = AccumulatorType(out.type);
  const Array products = MakeArray(out.type, places.summed);
  TESSERA_RETURN_IF_ERROR(op.interpreter.Spend(out.size() * products.size()));
  for (int64_t i = 0; i < out.size(); ++i) {
    const ZPoint o = IndexOf(i, out.dims);
    const int64_t group = GroupOf(sizes, o[row_axis]);
    Cell sum;
    for (int64_t j = 0; group >= 0 && j < products.size(); ++j) {
      ZPoint k = IndexOf(j, places.summed);
      const ZPoint left = places.Lhs(d, lhs.rank(), o, k);
      k.push_back(group);
      const ZPoint right = places.Rhs(with_group, rhs.rank(), o, k);
      sum = MultiplyAdd(held, Widened(lhs.type, held, lhs.At(left)),
                        Widened(rhs.type, held, rhs.At(right)), sum);
    }
    out.cells[i] = Fit(out.type, sum);
  }
  return out;
}

}  // namespace tessera::testing::evaluator
