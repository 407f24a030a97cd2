// Sort, always stable.
#include "tessera/testing/evaluator/ops/line_sorter.h"

namespace tessera::testing::evaluator {

absl::StatusOr<Value> Sort(const Op& op) {
  const Array& keys = op.in(0);
  if (keys.rank() == 0) return *op.operands[0];
  const int dim = static_cast<int>(hlo::GetDimension(op.module, op.id).value_or(keys.rank() - 1));
  const Combiner less(op, op.called());
  Value out = MakeValue(op.shape());
  const std::vector<Array*> leaves = Leaves(&out);
  absl::Status status;
  projection::ForEachCell(Lines(op.Asked(keys.dims), dim), [&](const ZPoint& line) {
    LineSorter sorter(op, less, op.num_operands(), line, dim);
    const absl::StatusOr<Order> order = sorter.Sorted();
    status.Update(order.status());
    for (int64_t to = 0; order.ok() && to < keys.dims[dim]; ++to) {
      for (int k = 0; k < op.num_operands(); ++k)
        leaves[k]->cells[sorter.Place(to)] = op.in(k).cells[sorter.Place((*order)[to])];
    }
    return status.ok();
  });
  if (!status.ok()) return status;
  return out;
}

}  // namespace tessera::testing::evaluator
