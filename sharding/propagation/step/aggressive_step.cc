// 1. For each factor: the axes on which the tensors agree (compatible_axes.h).
// 2. Its source: the largest tensor that has all these axes on the factor already. A tensor's size
//    is the product of the factors that it has, not its element count.
// 3. Factors are ranked by the size of their source; then, for element-wise ops, by how many parts
//    their axes make; then by the source's and the factor's number.
// 4. Results, then operands, each on its own: factor by factor in that order, the tensor takes of
//    the axes what it can. An axis that an earlier factor has just taken is gone for the later
//    ones. An element-wise op does not shard an operand further than a result that has part of the
//    axes.
//
// Steps 1 to 3 look at the table as it was; only step 4 sees its own changes.
//
// Cost: cells x axes of a tensor, plus sorting the factors. Tested in factor_steps_test.cc, and
// against the published engine's answers by the conformance driver.

#include "tessera/sharding/propagation/step/aggressive_step.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/propagation/step/compatible_axes.h"
#include "tessera/sharding/propagation/step/conflicts.h"
#include "tessera/text/checked.h"

namespace tessera::sharding::propagation {
namespace {

using factors::FactorTable;
using factors::FactorUse;
using factors::OpShardingRule;

// Sizes beyond 64 bits are all the same to the ranking.
int64_t TensorSize(const FactorTable& table, int t) {
  const OpShardingRule& rule = table.rule();
  int64_t size = 1;
  for (int c = rule.first_cell(t); c < rule.first_cell(t + 1); ++c) {
    if (table.cell(c).exists) size = SaturatingProduct(size, rule.size(rule.cell_factor(c)));
  }
  return size;
}

bool Extends(const AxisList& axes, const AxisList& own) {
  return IsStrictPrefixOf(absl::MakeConstSpan(own), absl::MakeConstSpan(axes));
}

}  // namespace

bool AggressiveStep::Run(const StepMode& mode, FactorTable& table, std::vector<bool>& updated,
                         Observer* observer) {
  mode_ = mode;
  table_ = &table;
  observer_ = observer;
  if (!FindWants()) return false;
  RankFactors();
  const int operands = table.rule().num_operands();
  const int tensors = table.rule().num_tensors();
  bool any = false;
  for (int n = 0; n < tensors; ++n) {
    const int t = (operands + n) % tensors;
    if (!UpdateTensor(t)) continue;
    updated[t] = true;
    any = true;
  }
  return any;
}

bool AggressiveStep::FindWants() {
  const OpShardingRule& rule = table_->rule();
  compatible_axes_.resize(rule.num_factors());
  bool any = false;
  for (int f = 0; f < rule.num_factors(); ++f) {
    CompatibleMajorAxes(*table_, f, mode_.DirectionOf(rule, f), compatible_axes_[f], observer_);
    if (observer_ != nullptr) observer_->OnCompatibleAxes(f, compatible_axes_[f]);
    any |= !compatible_axes_[f].empty();
  }
  return any;
}

void AggressiveStep::RankFactors() {
  const OpShardingRule& rule = table_->rule();
  sizes_.resize(rule.num_tensors());
  for (int t = 0; t < rule.num_tensors(); ++t) sizes_[t] = TensorSize(*table_, t);
  ranked_.clear();
  for (int f = 0; f < rule.num_factors(); ++f) {
    if (!compatible_axes_[f].empty()) ranked_.push_back(Rank(f));
  }
  absl::c_sort(ranked_, [&](const RankedFactor& a, const RankedFactor& b) {
    if (a.source_size != b.source_size) return a.source_size > b.source_size;
    if (mode_.element_wise && a.axes_product != b.axes_product) {
      return a.axes_product > b.axes_product;
    }
    if (a.source != b.source) return a.source < b.source;
    return a.factor < b.factor;
  });
  if (observer_ != nullptr) observer_->OnOrder(ranked_);
}

RankedFactor AggressiveStep::Rank(int f) const {
  const AxisList& compatible = compatible_axes_[f];
  RankedFactor ranked;
  ranked.factor = f;
  ranked.axes_product = ShardedSize(compatible, table_->mesh());
  for (const FactorUse& use : table_->rule().uses(f)) {
    const factors::FactorSharding& cell = table_->cell(use.cell);
    const bool is_source =
        cell.exists && (cell.axes == compatible || Extends(cell.axes, compatible));
    if (is_source && sizes_[use.tensor] > ranked.source_size) {
      ranked.source = use.tensor;
      ranked.source_size = sizes_[use.tensor];
    }
  }
  return ranked;
}

bool AggressiveStep::UpdateTensor(int t) {
  bool any = false;
  for (const RankedFactor& ranked : ranked_) any |= UpdateFactor(t, ranked.factor);
  return any;
}

bool AggressiveStep::UpdateFactor(int t, int f) {
  const int cell_number = table_->rule().cell(t, f);
  if (cell_number == factors::kNoCell || !table_->cell(cell_number).exists) return false;
  AxisList& own = table_->cell(cell_number).axes;
  axes_ = compatible_axes_[f];
  TruncateWithin(t, f, cell_number);
  if (!Extends(axes_, own)) return false;
  TruncateAcross(t, f);
  if (mode_.element_wise && t < table_->rule().num_operands()) CapByResults(t, f);
  if (!Extends(axes_, own)) return false;
  own = axes_;
  if (observer_ != nullptr) observer_->OnTake(t, f, own);
  return true;
}

void AggressiveStep::TruncateWithin(int t, int f, int cell) {
  TruncateToPrefix(axes_, table_->mesh(), mode_.conservative,
                   [&](AxisRef axis, int position, int64_t before) {
                     const Fit fit = PrefixWithinFactor(*table_, t, cell, axis, before);
                     return Note({f, position, t, t, fit.other_factor, axis, fit.axis, fit.reason});
                   });
}

void AggressiveStep::TruncateAcross(int t, int f) {
  TruncateToPrefix(axes_, table_->mesh(), mode_.conservative,
                   [&](AxisRef axis, int position, int64_t) {
                     const Fit fit = PrefixAcrossFactors(*table_, t, f, axis);
                     return Note({f, position, t, t, fit.other_factor, axis, fit.axis, fit.reason});
                   });
}

void AggressiveStep::CapByResults(int t, int f) {
  for (const FactorUse& use : table_->rule().uses(f)) {
    const factors::FactorSharding& cell = table_->cell(use.cell);
    if (use.tensor < table_->rule().num_operands() || !cell.exists) continue;
    if (!Extends(axes_, cell.axes)) continue;
    if (observer_ != nullptr) {
      const int at = static_cast<int>(cell.axes.size());
      observer_->OnCut({f, at, use.tensor, t, -1, axes_.back(), std::nullopt, CutReason::kResult});
    }
    axes_ = cell.axes;
  }
}

// Tells the observer about a cut, if it is one. Returns what is left of the axis.
std::optional<AxisRef> AggressiveStep::Note(const Cut& cut) const {
  if (observer_ != nullptr && cut.reason != CutReason::kNone) observer_->OnCut(cut);
  return cut.kept;
}

}  // namespace tessera::sharding::propagation
