// Reductions over windows that slide.
#include <algorithm>
#include <utility>

#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/combiner.h"
#include "tessera/testing/evaluator/ops/window_place.h"
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
                                             const std::vector<ZPoint>& taps,
                                             const Combiner& select, const ZPoint& position) {
  std::optional<ZPoint> winner;
  for (const ZPoint& tap : taps) {
    const auto at = PlaceOfTap(window, op.in(0).dims, position, tap);
    if (!at.has_value()) continue;
    bool stays = false;
    if (winner.has_value()) {
      TESSERA_ASSIGN_OR_RETURN(stays, select.Test(op.in(0).At(*winner), op.in(0).At(*at)));
    }
    if (!stays) winner = at;
  }
  return winner;
}

// Some tap of the window at `position` falls into the block.
bool Meets(const ZRange& block, const hlo::Window& window, const std::vector<ZPoint>& taps,
           const ZPoint& dims, const ZPoint& position) {
  return std::any_of(taps.begin(), taps.end(), [&](const ZPoint& tap) {
    const auto at = PlaceOfTap(window, dims, position, tap);
    return at.has_value() && block.Contains(*at);
  });
}

}  // namespace

absl::StatusOr<Value> ReduceWindow(const Op& op) {
  const int n = op.num_operands() / 2;
  const hlo::Window window = WindowOf(op);
  const Combiner combiner(op, op.called());
  Value out = MakeValue(op.shape());
  const std::vector<Array*> leaves = Leaves(&out);
  const std::vector<ZPoint> taps = TapsOf(window);
  absl::Status status;
  op.ForEachAsked(leaves[0]->dims, [&](int64_t o, const ZPoint& position) {
    Cells sum, next(static_cast<size_t>(n));
    for (int k = 0; k < n; ++k) sum.push_back(op.in(n + k).cells[0]);
    for (const ZPoint& tap : taps) {
      const auto at = PlaceOfTap(window, op.in(0).dims, position, tap);
      if (!at.has_value()) continue;
      for (int k = 0; k < n; ++k) next[k] = op.in(k).At(*at);
      status.Update(combiner.Apply(next, &sum));
    }
    for (int k = 0; k < n; ++k) leaves[k]->cells[o] = sum[k];
  });
  if (!status.ok()) return status;
  return out;
}

absl::StatusOr<Value> SelectAndScatter(const Op& op) {
  const hlo::Window window = WindowOf(op);
  const std::vector<ZPoint> taps = TapsOf(window);
  const Combiner select(op, op.called(0)), scatter(op, op.called(1));
  Array out = op.Out();
  const ZRange asked = op.Asked(out.dims);
  Cell* cells = out.cells.Data();
  op.ForEachPosition(out.dims, [&](int64_t i) { cells[i] = op.in(2).cells[0]; });
  for (int64_t i = 0; i < op.in(1).size(); ++i) {
    const ZPoint position = IndexOf(i, op.in(1).dims);
    if (!Meets(asked, window, taps, out.dims, position)) continue;
    TESSERA_ASSIGN_OR_RETURN(std::optional<ZPoint> winner,
                             Winner(op, window, taps, select, position));
    if (!winner.has_value() || !asked.Contains(*winner)) continue;
    Cells current = {out.At(*winner)};
    TESSERA_RETURN_IF_ERROR(scatter.Apply({op.in(1).cells[i]}, &current));
    out.At(*winner) = current[0];
  }
  return out;
}

}  // namespace tessera::testing::evaluator
