// Sort, always stable, and top-k.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "tessera/testing/evaluator/combiner.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

using Order = std::vector<int64_t>;  // positions along the line, in their new order

// A merge sort by hand: the comparator may fail, and may contradict itself on poisoned cells.
class LineSorter {
 public:
  LineSorter(const Op& op, const Combiner& less, ZPoint line, int dim)
      : op_(op), less_(less), line_(std::move(line)), dim_(dim) {}

  absl::Status Sort(Order* order) {
    if (order->size() < 2) return absl::OkStatus();
    Order low(order->begin(), order->begin() + static_cast<int64_t>(order->size() / 2));
    Order high(order->begin() + static_cast<int64_t>(order->size() / 2), order->end());
    TESSERA_RETURN_IF_ERROR(Sort(&low));
    TESSERA_RETURN_IF_ERROR(Sort(&high));
    size_t l = 0, h = 0;
    for (int64_t& next : *order) {
      bool take_high = l == low.size();
      if (!take_high && h < high.size()) {
        TESSERA_ASSIGN_OR_RETURN(take_high, IsLess(high[h], low[l]));
      }
      next = take_high ? high[h++] : low[l++];
    }
    return absl::OkStatus();
  }

  int64_t Place(int64_t along) {
    line_[dim_] = along;
    return op_.in(0).Linear(line_);
  }

 private:
  absl::StatusOr<bool> IsLess(int64_t a, int64_t b) {
    Cells arguments;
    for (int k = 0; k < op_.num_operands(); ++k) {
      arguments.push_back(op_.in(k).cells[Place(a)]);
      arguments.push_back(op_.in(k).cells[Place(b)]);
    }
    TESSERA_ASSIGN_OR_RETURN(Cells result, less_.Call(arguments));
    return result[0].i != 0;
  }

  const Op& op_;
  const Combiner& less_;
  ZPoint line_;
  int dim_;
};

// One index for each line along `dim` that the block meets.
ZRange Lines(const ZRange& block, int dim) {
  ZPoint start = block.start(), end = block.end();
  start[dim] = 0;
  end[dim] = block.empty() ? 0 : 1;
  return *ZRange::Create(start, end);
}

// Before in a descending order: larger, or a NaN where the other is none.
bool Before(ElementType type, bool largest, const Cell& x, const Cell& y) {
  if (std::isnan(x.re) || std::isnan(y.re))
    return largest ? std::isnan(x.re) && !std::isnan(y.re) : !std::isnan(x.re) && std::isnan(y.re);
  return largest ? Less(type, y, x) : Less(type, x, y);
}

}  // namespace

absl::StatusOr<Value> Sort(const Op& op) {
  const Array& keys = op.in(0);
  if (keys.rank() == 0) return *op.operands[0];
  const int dim = static_cast<int>(hlo::GetDimension(op.module, op.id).value_or(keys.rank() - 1));
  const Combiner less(op, op.called());
  Value out = MakeValue(op.shape());
  const std::vector<Array*> leaves = Leaves(&out);
  absl::Status status;
  projection::ForEachCell(Lines(op.Asked(keys.dims), dim), [&](const ZPoint& line) {
    LineSorter sorter(op, less, line, dim);
    Order order(static_cast<size_t>(keys.dims[dim]));
    std::iota(order.begin(), order.end(), 0);
    status.Update(sorter.Sort(&order));
    for (int64_t to = 0; to < keys.dims[dim]; ++to) {
      for (int k = 0; k < op.num_operands(); ++k)
        leaves[k]->cells[sorter.Place(to)] = op.in(k).cells[sorter.Place(order[to])];
    }
    return status.ok();
  });
  if (!status.ok()) return status;
  return out;
}

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

}  // namespace tessera::testing::evaluator
