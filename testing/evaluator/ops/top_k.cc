// Selections of the k first of each line: by value, and by a comparator.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tessera/testing/evaluator/ops/arithmetic.h"
#include "tessera/testing/evaluator/ops/line_sorter.h"

namespace tessera::testing::evaluator {
namespace {

// Before in a descending order: larger, or a NaN where the other is none.
bool Before(ElementType type, bool largest, const Cell& x, const Cell& y) {
  if (std::isnan(x.re) || std::isnan(y.re))
    return largest ? std::isnan(x.re) && !std::isnan(y.re) : !std::isnan(x.re) && std::isnan(y.re);
  return largest ? Less(type, y, x) : Less(type, x, y);
}

// The one that is shorter in the result; the last one where none is.
int SelectedDim(const ZPoint& in, const ZPoint& out) {
  for (int d = 0; d < in.rank(); ++d) {
    if (in[d] != out[d]) return d;
  }
  return in.rank() - 1;
}

}  // namespace

// (values, positions) of the k first of each line along the last dimension.
absl::StatusOr<Value> TopK(const Op& op) {
  const Array& in = op.in(0);
  Value out = MakeValue(op.shape());
  const std::vector<Array*> leaves = Leaves(&out);
  const int64_t n = in.dims[in.rank() - 1];
  const int64_t k = leaves[0]->dims[in.rank() - 1];
  const bool largest = hlo::GetBool(op.module, op.id, AttributeName::kLargest).value_or(true);
  const ZRange lines = Lines(op.Asked(leaves[0]->dims), in.rank() - 1);
  if (n == 0) return out;
  projection::ForEachCell(lines, [&](const ZPoint& start) {
    const int64_t line = LinearOf(start, in.dims) / n;
    Order order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return Before(in.type, largest, in.cells[line * n + a], in.cells[line * n + b]);
    });
    for (int64_t i = 0; i < k; ++i) {
      leaves[0]->cells[line * k + i] = in.cells[line * n + order[i]];
      if (leaves.size() > 1) leaves[1]->cells[line * k + i].i = order[i];
    }
    return true;
  });
  return out;
}

// ApproxTopK and PartialReduce: arrays, then an initial value for each. They may miss some of the
// first; ours never does, which is one of the things they may do. Places beyond the line's end have
// the initial values.
absl::StatusOr<Value> ApproxTopK(const Op& op) {
  const int arrays = op.num_operands() / 2;
  if (op.module.called(op.id).empty() || arrays == 0)
    return absl::UnimplementedError("a selection without a comparator");
  Value out = MakeValue(op.shape());
  const std::vector<Array*> leaves = Leaves(&out);
  const ZPoint in = op.in(0).dims, dims = leaves[0]->dims;
  const int dim = SelectedDim(in, dims);
  const Combiner less(op, op.called());
  absl::Status status;
  projection::ForEachCell(Lines(op.Asked(dims), dim), [&](ZPoint line) {
    LineSorter sorter(op, less, arrays, line, dim);
    const absl::StatusOr<Order> order = sorter.Sorted();
    status.Update(order.status());
    for (int64_t to = 0; order.ok() && to < dims[dim]; ++to) {
      line[dim] = to;
      for (int k = 0; k < arrays; ++k)
        leaves[k]->At(line) =
            to < in[dim] ? op.in(k).cells[sorter.Place((*order)[to])] : op.in(arrays + k).cells[0];
    }
    return status.ok();
  });
  if (!status.ok()) return status;
  return out;
}

}  // namespace tessera::testing::evaluator
