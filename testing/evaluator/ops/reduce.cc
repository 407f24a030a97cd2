// Reduce: the cells of each result in row-major order of the operand, starting from the init value.
#include <utility>

#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/combiner.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

// Distances in an array of dimensions `dims` along those of `which`, row-major.
std::vector<int64_t> Distances(const ZPoint& dims, const IntList& which) {
  std::vector<int64_t> out;
  ZPoint at = ZPoint::Filled(dims.rank(), 0);
  projection::ForEachCell(ZRange::FromShape(Pick(dims, which)), [&](const ZPoint& p) {
    for (size_t i = 0; i < which.size(); ++i)
      at[static_cast<int>(which[i])] = p[static_cast<int>(i)];
    out.push_back(LinearOf(at, dims));
    return true;
  });
  return out;
}

}  // namespace

absl::StatusOr<Value> Reduce(const Op& op) {
  const int n = op.num_operands() / 2;
  const ZPoint& dims = op.in(0).dims;
  const IntList kept = Others(dims.rank(), op.Ints(AttributeName::kDimensions));
  const std::vector<int64_t> reduced = Distances(dims, Others(dims.rank(), kept));
  const Combiner combiner(op, op.called());
  Value out = MakeValue(op.shape());
  const std::vector<Array*> leaves = Leaves(&out);
  absl::Status status;
  op.ForEachAsked(leaves[0]->dims, [&](int64_t i, const ZPoint& o) {
    ZPoint at = ZPoint::Filled(dims.rank(), 0);
    for (size_t d = 0; d < kept.size(); ++d) at[static_cast<int>(kept[d])] = o[static_cast<int>(d)];
    const int64_t base = LinearOf(at, dims);
    Cells sum, next(static_cast<size_t>(n));
    for (int k = 0; k < n; ++k) sum.push_back(op.in(n + k).cells[0]);
    for (int64_t distance : reduced) {
      for (int k = 0; k < n; ++k) next[k] = op.in(k).cells[base + distance];
      status.Update(combiner.Apply(next, &sum));
    }
    for (int k = 0; k < n; ++k) leaves[k]->cells[i] = sum[k];
  });
  if (!status.ok()) return status;
  return out;
}

}  // namespace tessera::testing::evaluator
