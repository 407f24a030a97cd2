// It goes factor by factor, in the order of the rule. The axes on which all tensors agree are
// shortened to what every tensor can take, then given to each tensor that has less. A later factor
// sees what the earlier ones have taken.
//
// "Can take" asks every tensor of the op, also those without the factor: an axis that is in use on
// any other factor of any tensor does not move. That is why conflicts are left alone.
//
// Cost: factors x axes x cells. Tested in factor_steps_test.cc, and against the published engine's
// answers by the conformance driver.

#include "tessera/sharding/propagation/step/basic_step.h"

#include <optional>

#include "tessera/sharding/propagation/step/compatible_axes.h"
#include "tessera/sharding/propagation/step/conflicts.h"

namespace tessera::sharding::propagation {
namespace {

using factors::FactorTable;
using factors::FactorUse;

class Step {
 public:
  Step(const StepMode& mode, FactorTable& table, Observer* observer)
      : mode_(mode), table_(table), observer_(observer) {}

  // The axes that factor `f` can have in every tensor.
  const AxisList& Find(int f) {
    const Direction direction = mode_.DirectionOf(table_.rule(), f);
    CompatibleMajorAxes(table_, f, direction, axes_, observer_);
    if (observer_ != nullptr) observer_->OnCompatibleAxes(f, axes_);
    TruncateToPrefix(axes_, table_.mesh(), mode_.conservative,
                     [&](AxisRef axis, int position, int64_t before) {
                       return FitEverywhere(f, axis, position, before);
                     });
    return axes_;
  }

 private:
  std::optional<AxisRef> FitEverywhere(int f, AxisRef axis, int position, int64_t before) {
    std::optional<AxisRef> x = axis;
    for (int t = 0; t < table_.rule().num_tensors() && x; ++t) {
      x = Note(PrefixAcrossFactors(table_, t, f, *x), f, position, t, *x);
      const int cell = table_.rule().cell(t, f);
      if (!x || cell == factors::kNoCell || !table_.cell(cell).exists) continue;
      x = Note(PrefixWithinFactor(table_, t, cell, *x, before), f, position, t, *x);
    }
    return x;
  }

  std::optional<AxisRef> Note(const Fit& fit, int f, int position, int tensor, AxisRef axis) {
    if (observer_ != nullptr && fit.reason != CutReason::kNone) {
      observer_->OnCut({f, position, tensor, -1, fit.other_factor, axis, fit.axis, fit.reason});
    }
    return fit.axis;
  }

  const StepMode& mode_;
  FactorTable& table_;
  Observer* const observer_;
  AxisList axes_;
};

void ReportTakers(const FactorTable& table, int f, const AxisList& axes, Observer& observer) {
  for (const FactorUse& use : table.rule().uses(f)) {
    if (table.cell(use.cell).exists && table.cell(use.cell).axes == axes) {
      observer.OnTake(use.tensor, f, axes);
    }
  }
}

}  // namespace

bool BasicStep(const StepMode& mode, FactorTable& table, std::vector<bool>& updated,
               Observer* observer) {
  Step step(mode, table, observer);
  bool any = false;
  for (int f = 0; f < table.rule().num_factors(); ++f) {
    const AxisList& axes = step.Find(f);
    if (axes.empty() || !table.Expand(f, axes, &updated)) continue;
    any = true;
    if (observer != nullptr) ReportTakers(table, f, axes, *observer);
  }
  return any;
}

}  // namespace tessera::sharding::propagation
