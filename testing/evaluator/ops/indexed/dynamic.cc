// Slices at starts that are data.
#include <algorithm>

#include "tessera/testing/evaluator/kernel.h"

namespace tessera::testing::evaluator {
namespace {

// The start in each dimension, moved so that a window of `window` lies inside `in`. The operands
// from `first` on are scalars, one a dimension, or a single vector.
ZPoint Start(const Op& op, int first, const ZPoint& window) {
  const Array& in = op.in(0);
  ZPoint start = ZPoint::Filled(in.rank(), 0);
  for (int d = 0; d < in.rank(); ++d) {
    const Array& source = op.in(op.in(first).rank() == 1 ? first : first + d);
    const Cell& cell = source.cells[source.rank() == 1 ? d : 0];
    const bool huge = source.type == ElementType::kU64 && cell.i < 0;
    const int64_t last = in.dims[d] - window[d];
    start[d] = huge ? last : std::clamp<int64_t>(cell.i, 0, std::max<int64_t>(last, 0));
  }
  return start;
}

ZPoint Sum(ZPoint a, const ZPoint& b) {
  for (int d = 0; d < a.rank(); ++d) a[d] += b[d];
  return a;
}

}  // namespace

absl::StatusOr<Value> DynamicSlice(const Op& op) {
  const Array out = op.Out();
  const ZPoint start = out.rank() == 0 ? ZPoint() : Start(op, 1, out.dims);
  return Gathered(op, 0, [&](const ZPoint& o) { return Sum(o, start); });
}

absl::StatusOr<Value> DynamicUpdateSlice(const Op& op) {
  Array out = op.Out();
  const Array& update = op.in(1);
  const ZPoint start = out.rank() == 0 ? ZPoint() : Start(op, 2, update.dims);
  Cell* cells = out.cells.Data();
  op.ForEachAsked(out.dims, [&](int64_t i, ZPoint at) {
    for (int d = 0; d < at.rank(); ++d) at[d] -= start[d];
    cells[i] = update.Has(at) ? update.At(at) : op.in(0).cells[i];
  });
  return out;
}

// Sizes are those of the shape: no dimension is dynamic here.
absl::StatusOr<Value> GetDimensionSize(const Op& op) {
  const int dim = static_cast<int>(hlo::GetDimension(op.module, op.id).value_or(0));
  Array out = op.Out();
  out.cells[0].i = op.in(0).dims[dim];
  return out;
}

}  // namespace tessera::testing::evaluator
