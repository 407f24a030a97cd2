// Reductions over windows that slide.
#include <algorithm>
#include <utility>

#include "tessera/testing/evaluator/combiner.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/window_place.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

hlo::Window WindowOf(const Op& op) {
  hlo::Window window = hlo::GetWindow(op.module, op.id);
  window.resize(static_cast<size_t>(op.in(0).rank()));
  return window;
}

// The cell that wins the window at `position`: the first one, unless a later one beats it.
absl::StatusOr<std::optional<ZPoint>> Winner(const Op& op, const hlo::Window& window,
                                             const Combiner& select, const ZPoint& position) {
  std::optional<ZPoint> winner;
  const Array taps = MakeArray(ElementType::kPred, SizesOf(window));
  for (int64_t t = 0; t < taps.size(); ++t) {
    const auto at = PlaceOfTap(window, op.in(0).dims, position, IndexOf(t, taps.dims));
    if (!at.has_value()) continue;
    bool stays = false;
    if (winner.has_value()) {
      TESSERA_ASSIGN_OR_RETURN(stays, select.Test(op.in(0).At(*winner), op.in(0).At(*at)));
    }
    if (!stays) winner = at;
  }
  return winner;
}

}  // namespace

absl::StatusOr<Value> ReduceWindow(const Op& op) {
  const int n = op.num_operands() / 2;
  const hlo::Window window = WindowOf(op);
  const Combiner combiner(op, op.called());
  Value out = MakeValue(op.shape());
  const std::vector<Array*> leaves = Leaves(&out);
  const Array taps = MakeArray(ElementType::kPred, SizesOf(window));
  for (int64_t o = 0; o < leaves[0]->size(); ++o) {
    const ZPoint position = IndexOf(o, leaves[0]->dims);
    Cells sum;
    for (int k = 0; k < n; ++k) sum.push_back(op.in(n + k).cells[0]);
    for (int64_t t = 0; t < taps.size(); ++t) {
      const auto at = PlaceOfTap(window, op.in(0).dims, position, IndexOf(t, taps.dims));
      if (!at.has_value()) continue;
      Cells next;
      for (int k = 0; k < n; ++k) next.push_back(op.in(k).At(*at));
      TESSERA_RETURN_IF_ERROR(combiner.Apply(next, &sum));
    }
    for (int k = 0; k < n; ++k) leaves[k]->cells[o] = sum[k];
  }
  return out;
}

absl::StatusOr<Value> SelectAndScatter(const Op& op) {
  const hlo::Window window = WindowOf(op);
  const Combiner select(op, op.called(0)), scatter(op, op.called(1));
  Array out = op.Out();
  std::fill(out.cells.begin(), out.cells.end(), op.in(2).cells[0]);
  for (int64_t i = 0; i < op.in(1).size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(std::optional<ZPoint> winner,
                             Winner(op, window, select, IndexOf(i, op.in(1).dims)));
    if (!winner.has_value()) continue;
    Cells current = {out.At(*winner)};
    TESSERA_RETURN_IF_ERROR(scatter.Apply({op.in(1).cells[i]}, &current));
    out.At(*winner) = current[0];
  }
  return out;
}

}  // namespace tessera::testing::evaluator
