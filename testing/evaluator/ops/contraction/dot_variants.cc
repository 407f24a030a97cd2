// Dot with scales, and dot whose rows belong to groups of sizes that are data.
#include <algorithm>

#include "tessera/projection/signatures/indexed/ragged.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/arithmetic.h"
#include "tessera/testing/evaluator/ops/contraction/dot.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

// A cell in the type of the sum, times the cell of `scale` whose block it is in.
Cell Scaled(const Array& a, const Array& scale, ElementType held, ZPoint at) {
  static const BinaryRow& multiply = *FindBinary(Opcode::kMultiply);
  const Cell cell = Widened(a.type, held, a.At(at));
  for (int d = 0; d < scale.rank(); ++d)
    at[d] /= std::max<int64_t>(1, a.dims[d] / std::max<int64_t>(1, scale.dims[d]));
  const Cell factor = scale.rank() == a.rank() ? scale.At(at) : scale.cells[0];
  return Apply2(multiply, held, cell, Widened(scale.type, held, factor));
}

// How a ragged dot reads its operands. Rows along the ragged dimension of lhs belong to groups that
// follow each other; the sizes may differ by the position in the dimensions before it.
struct Ragged {
  enum class Mode { kRows, kContracting, kBatch };

  Ragged(const Op& op, const hlo::DotDimensions& dims) : d(dims), sizes(op.in(2)) {
    prefix = projection::RaggedPrefix(d, op.in(0).rank(), sizes.rank());
    dim = d.lhs_ragged.empty() ? 0 : d.lhs_ragged[0];
    mode = Contains(d.lhs_contracting, dim) ? Mode::kContracting
           : Contains(d.lhs_batch, dim)     ? Mode::kBatch
                                            : Mode::kRows;
    with_group = d;  // the group is a coordinate of rhs like a contracting one
    if (mode == Mode::kRows && !d.rhs_group.empty())
      with_group.rhs_contracting.push_back(d.rhs_group[0]);
  }

  // -1 for rows beyond the last group.
  int64_t GroupOf(const ZPoint& lhs) const {
    int64_t place = 0, row = lhs[static_cast<int>(dim)];
    for (size_t p = 0; p < prefix.size(); ++p)
      place = place * sizes.dims[static_cast<int>(p)] + lhs[static_cast<int>(prefix[p])];
    const int64_t groups = sizes.dims[sizes.rank() - 1];
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t size = sizes.cells[place * groups + g].i;
      if (row < size) return g;
      row -= size;
    }
    return -1;
  }

  hlo::DotDimensions d, with_group;
  const Array& sizes;
  IntList prefix;  // dimensions of lhs that have sizes of their own
  int64_t dim;
  Mode mode;
};

}  // namespace

absl::StatusOr<Value> ScaledDot(const Op& op) {
  const Array &lhs = op.in(0), &rhs = op.in(1);
  const hlo::DotDimensions d = hlo::GetDotDimensions(op.module, op.id);
  const DotPlaces places = PlacesOf(d, lhs, rhs);
  const ZRange summed = ZRange::FromShape(places.summed);
  Array out = op.Out();
  const ElementType held = AccumulatorType(out.type);
  TESSERA_RETURN_IF_ERROR(op.interpreter.Spend(out.size() * summed.size().value_or(0)));
  op.ForEachAsked(out.dims, [&](int64_t i, const ZPoint& o) {
    Cell sum;
    projection::ForEachCell(summed, [&](const ZPoint& k) {
      const Cell x = Scaled(lhs, op.in(2), held, places.Lhs(d, lhs.rank(), o, k));
      sum = MultiplyAdd(held, x, Scaled(rhs, op.in(3), held, places.Rhs(d, rhs.rank(), o, k)), sum);
      return true;
    });
    out.cells[i] = Fit(out.type, sum);
  });
  return out;
}

// Rows: each row of lhs meets the matrix of its group. Contracting: the groups come first in the
// result, and each sums its own part. Batch: like any batch dimension.
absl::StatusOr<Value> RaggedDot(const Op& op) {
  const Array &lhs = op.in(0), &rhs = op.in(1);
  const Ragged ragged(op, hlo::GetDotDimensions(op.module, op.id));
  const DotPlaces places = PlacesOf(ragged.with_group, lhs, rhs);
  const ZRange summed = ZRange::FromShape(places.summed);
  const bool contracting = ragged.mode == Ragged::Mode::kContracting;
  Array out = op.Out();
  const ElementType held = AccumulatorType(out.type);
  TESSERA_RETURN_IF_ERROR(op.interpreter.Spend(out.size() * summed.size().value_or(0)));
  op.ForEachAsked(out.dims, [&](int64_t i, const ZPoint& at) {
    const ZPoint o = contracting ? Pick(at, Others(at.rank(), {0})) : at;
    Cell sum;
    projection::ForEachCell(summed, [&](ZPoint k) {
      const ZPoint left = places.Lhs(ragged.d, lhs.rank(), o, k);
      const int64_t group = ragged.mode == Ragged::Mode::kBatch ? 0 : ragged.GroupOf(left);
      if (group < 0 || (contracting && group != at[0])) return true;
      if (ragged.mode == Ragged::Mode::kRows) k.push_back(group);
      const ZPoint right = places.Rhs(ragged.with_group, rhs.rank(), o, k);
      sum = MultiplyAdd(held, Widened(lhs.type, held, lhs.At(left)),
                        Widened(rhs.type, held, rhs.At(right)), sum);
      return true;
    });
    out.cells[i] = Fit(out.type, sum);
  });
  return out;
}

}  // namespace tessera::testing::evaluator
