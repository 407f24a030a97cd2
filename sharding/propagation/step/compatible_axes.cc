// The tensors are folded one after the other into a list of axes, like zipping two lists:
//
//   found so far   tensor        now found     may it still grow?
//   [a]            [a, b]        [a, b]        yes
//   [a, b]         [a]           [a, b]        yes: a shorter list agrees
//   [a, b]         [a, c]        [a]           no: b and c disagree
//   [a:(1)2]       [a]           [a]           yes: the one is the major part of the other
//   [a:(1)2, b]    [a]           [a:(1)2]      no: after a:(1)2 one wants b, the other the rest of
//   a
//
// Once the tensors disagree the list can only become shorter. The side that does not decide
// (results when going forward) is folded in as if a disagreement had been met already.
//
// Linear in the axes. Tested in compatible_axes_test.cc.

#include "tessera/sharding/propagation/step/compatible_axes.h"

#include <algorithm>

#include "absl/types/span.h"

namespace tessera::sharding::propagation {
namespace {

using factors::FactorTable;
using factors::FactorUse;

class Fold {
 public:
  Fold(AxisList& found, int factor, Observer* observer)
      : found_(found), factor_(factor), observer_(observer) {}

  void StopGrowing() { grow_ = false; }

  void Add(int tensor, absl::Span<const AxisRef> axes) {
    const size_t agreed = Zip(axes);
    const bool disagrees = agreed < std::min(found_.size(), axes.size());
    if (disagrees) {
      Stop(tensor, agreed, axes);
    } else if (grow_ && axes.size() > found_.size()) {
      found_.insert(found_.end(), axes.begin() + found_.size(), axes.end());
    }
  }

 private:
  // Number of positions that agree. One axis may be the major part of the other, and both lists may
  // go on with the longer (the shorter, when not growing) one: then found_ takes that.
  size_t Zip(absl::Span<const AxisRef> axes) {
    const size_t both = std::min(found_.size(), axes.size());
    for (size_t i = 0; i < both; ++i) {
      const AxisRef old = found_[i];
      if (old == axes[i]) continue;
      if (IsPrefixOf(axes[i], old)) {
        if (i + 1 < axes.size()) return i;
      } else if (IsPrefixOf(old, axes[i])) {
        if (!grow_ || i + 1 < found_.size()) return i;
        found_[i] = axes[i];
      } else {
        return i;
      }
    }
    return both;
  }

  // The lists disagree at position `at`: what both begin with there, if anything, is the end.
  void Stop(int tensor, size_t at, absl::Span<const AxisRef> axes) {
    if (observer_ != nullptr) {
      observer_->OnFoldStop({factor_, tensor, static_cast<int>(at)});
    }
    const AxisRef old = found_[at];
    found_.resize(at);
    if (IsPrefixOf(axes[at], old)) {
      found_.push_back(axes[at]);
    } else if (IsPrefixOf(old, axes[at])) {
      found_.push_back(old);
    }
    grow_ = false;
  }

  AxisList& found_;
  const int factor_;
  Observer* const observer_;
  bool grow_ = true;
};

}  // namespace

void CompatibleMajorAxes(const FactorTable& table, int f, Direction direction, AxisList& axes,
                         Observer* observer) {
  axes.clear();
  if (direction == Direction::kNone) return;
  Fold fold(axes, f, observer);
  const absl::Span<const FactorUse> uses = table.rule().uses(f);
  const auto first_result = std::find_if(uses.begin(), uses.end(), [&](const FactorUse& use) {
    return use.tensor >= table.rule().num_operands();
  });
  const size_t operands = first_result - uses.begin();
  const auto add = [&](absl::Span<const FactorUse> side) {
    for (const FactorUse& use : side) {
      if (table.cell(use.cell).exists) fold.Add(use.tensor, table.cell(use.cell).axes);
    }
  };
  const bool backward = direction == Direction::kBackward;
  add(backward ? uses.subspan(operands) : uses.first(operands));
  if (direction != Direction::kBoth) fold.StopGrowing();
  add(backward ? uses.first(operands) : uses.subspan(operands));
}

}  // namespace tessera::sharding::propagation
