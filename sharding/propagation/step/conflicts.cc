// A factor takes an axis that it does not have yet if it is open and nothing overflowed, and
//   - it is the minor one of its dimension: the dimension may be padded;
//   - or the parts come out even: factor of size 6, nothing taken yet, axis c of size 4: gcd(6, 4)
//     = 2, so c:(1)2 goes in.
// A closed factor passes its own axes and refuses others. If its last axis is a major part of the
// proposed one (it has c:(1)2 and c is proposed), that part fits.
//
// Tested in conflicts_test.cc.

#include "tessera/sharding/propagation/step/conflicts.h"

#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"

namespace tessera::sharding::propagation {
namespace {

using factors::FactorSharding;
using factors::FactorTable;
using factors::OpShardingRule;

// Cuts `fit` by each of `axes`; true if something was taken away.
bool CutBy(absl::Span<const AxisRef> axes, CutReason reason, Fit& fit) {
  const std::optional<AxisRef> original = fit.axis;
  for (const AxisRef other : axes) {
    if (!fit.axis) break;
    fit.axis = PrefixWithoutOverlap(*fit.axis, other);
  }
  const bool cut = fit.axis != original;
  if (cut && fit.reason == CutReason::kNone) fit.reason = reason;
  return cut;
}

// Why a factor that has no axis containing `axis` cannot simply append it; kNone if it can, maybe
// after `axis` was shortened.
CutReason Append(const FactorTable& table, int cell_number, int64_t before, AxisRef& axis) {
  const FactorSharding& cell = table.cell(cell_number);
  if (cell.is_closed) return CutReason::kClosed;
  if (!cell.overflow.empty()) return CutReason::kOverflow;
  if (cell.is_minor_most) return CutReason::kNone;
  const int64_t size = table.rule().size(table.rule().cell_factor(cell_number));
  if (size % before != 0) return CutReason::kNotDivisible;
  const int64_t axis_size = axis.size(table.mesh());
  const int64_t part = std::gcd(size / before, axis_size);
  if (part == axis_size) return CutReason::kNone;
  if (part == 1) return CutReason::kNotDivisible;
  axis = AxisRef::Sub(axis.axis(), axis.pre_size(), part);
  return CutReason::kNone;
}

}  // namespace

Fit PrefixAcrossFactors(const FactorTable& table, int t, int f, AxisRef axis) {
  Fit fit{axis};
  const OpShardingRule& rule = table.rule();
  for (int c = rule.first_cell(t); c < rule.first_cell(t + 1) && fit.axis; ++c) {
    const FactorSharding& cell = table.cell(c);
    const int other = rule.cell_factor(c);
    if (!cell.exists || other == f) continue;
    const bool by_overflow = CutBy(cell.overflow, CutReason::kOtherFactor, fit);
    const bool by_axes = CutBy(cell.axes, CutReason::kOtherFactor, fit);
    if ((by_overflow || by_axes) && fit.other_factor < 0) fit.other_factor = other;
  }
  return fit;
}

Fit PrefixWithinFactor(const FactorTable& table, int t, int cell_number, AxisRef axis,
                       int64_t before) {
  Fit fit{axis};
  CutBy(table.row(t).replicated, CutReason::kReplicated, fit);
  CutBy(table.row(t).unreduced, CutReason::kUnreduced, fit);
  if (!fit.axis) return fit;
  const AxisList& axes = table.cell(cell_number).axes;
  if (absl::c_any_of(axes, [&](AxisRef own) { return Contains(own, *fit.axis); })) return fit;
  const AxisRef wanted = *fit.axis;
  const CutReason refused = Append(table, cell_number, before, *fit.axis);
  if (refused != CutReason::kNone) {
    const bool has_part = !axes.empty() && IsPrefixOf(axes.back(), wanted);
    fit.axis = has_part ? std::optional<AxisRef>(axes.back()) : std::nullopt;
  }
  if (fit.axis != wanted && fit.reason == CutReason::kNone) {
    fit.reason = refused == CutReason::kNone ? CutReason::kNotDivisible : refused;
  }
  return fit;
}

}  // namespace tessera::sharding::propagation
