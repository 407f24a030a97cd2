// A stable sort of the lines of arrays along one dimension, by a computation that compares cells.
//
//   LineSorter sorter(op, less, /*arrays=*/2, line, /*dim=*/1);
//   absl::StatusOr<Order> order = sorter.Sorted();
//   op.in(1).cells[sorter.Place((*order)[0])]     // what goes first, of the second array
#ifndef TESSERA_TESTING_EVALUATOR_OPS_LINE_SORTER_H_
#define TESSERA_TESTING_EVALUATOR_OPS_LINE_SORTER_H_

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/combiner.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {

using Order = std::vector<int64_t>;  // positions along the line, in their new order

// A merge sort by hand: the comparator may fail, and may contradict itself on poisoned cells.
class LineSorter {
 public:
  // `less` compares cells of the first `arrays` operands, which have the same dimensions.
  LineSorter(const Op& op, const Combiner& less, int arrays, ZPoint line, int dim)
      : op_(op), less_(less), arrays_(arrays), line_(std::move(line)), dim_(dim) {}

  // The positions along the line, in their new order.
  absl::StatusOr<Order> Sorted() {
    Order order(static_cast<size_t>(op_.in(0).dims[dim_]));
    std::iota(order.begin(), order.end(), 0);
    TESSERA_RETURN_IF_ERROR(Sort(&order));
    return order;
  }

  int64_t Place(int64_t along) {
    line_[dim_] = along;
    return op_.in(0).Linear(line_);
  }

 private:
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

  absl::StatusOr<bool> IsLess(int64_t a, int64_t b) {
    Cells arguments;
    for (int k = 0; k < arrays_; ++k) {
      arguments.push_back(op_.in(k).cells[Place(a)]);
      arguments.push_back(op_.in(k).cells[Place(b)]);
    }
    TESSERA_ASSIGN_OR_RETURN(Cells result, less_.Call(arguments));
    return result[0].i != 0;
  }

  const Op& op_;
  const Combiner& less_;
  int arrays_;
  ZPoint line_;
  int dim_;
};

// One index for each line along `dim` that the block meets.
inline ZRange Lines(const ZRange& block, int dim) {
  ZPoint start = block.start(), end = block.end();
  start[dim] = 0;
  end[dim] = block.empty() ? 0 : 1;
  return *ZRange::Create(start, end);
}

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_OPS_LINE_SORTER_H_
