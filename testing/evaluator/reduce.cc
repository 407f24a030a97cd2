// Reduce: the cells of each result in row-major order of the operand, starting from the init value.
#include <utility>

#include "tessera/testing/evaluator/combiner.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {

absl::StatusOr<Value> Reduce(const Op& op) {
  const int n = op.num_operands() / 2;
  const IntList kept = Others(op.in(0).rank(), op.Ints(AttributeName::kDimensions));
  const Combiner combiner(op, op.called());
  Value out = MakeValue(op.shape());
  const std::vector<Array*> leaves = Leaves(&out);
  for (int k = 0; k < n; ++k) {
    for (Cell& cell : leaves[k]->cells) cell = op.in(n + k).cells[0];
  }
  for (int64_t i = 0; i < op.in(0).size(); ++i) {
    const int64_t o = leaves[0]->Linear(Pick(IndexOf(i, op.in(0).dims), kept));
    Cells sum, next;
    for (int k = 0; k < n; ++k) {
      sum.push_back(leaves[k]->cells[o]);
      next.push_back(op.in(k).cells[i]);
    }
    TESSERA_RETURN_IF_ERROR(combiner.Apply(next, &sum));
    for (int k = 0; k < n; ++k) leaves[k]->cells[o] = sum[k];
  }
  return out;
}

}  // namespace tessera::testing::evaluator
