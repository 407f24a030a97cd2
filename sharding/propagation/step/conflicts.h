// How much of an axis one tensor can take along one factor.
//
//   // factor i of a tensor: axes [a], open; factor j of it: axes [b:(2)2]
//   PrefixAcrossFactors(table, t, i, b).axis;             // b:(1)2: the rest is in use on j
//   PrefixWithinFactor(table, t, cell_of_i, c, 2).axis;  // c, if the dimension takes more axes
//
// Each test either passes an axis on, shortens it to a major part of itself, or refuses it; what
// remains of a list of axes ends at the first that did not pass whole.

#ifndef TESSERA_SHARDING_PROPAGATION_STEP_CONFLICTS_H_
#define TESSERA_SHARDING_PROPAGATION_STEP_CONFLICTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tessera/sharding/axes.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/propagation/observer.h"

namespace tessera::sharding::propagation {

struct Fit {
  std::optional<AxisRef> axis;  // what fits; none: nothing of it
  // The first test that took something away, and for kOtherFactor the factor in the way.
  CutReason reason = CutReason::kNone;
  int other_factor = -1;
};

// Against the other factors of tensor `t`: nothing of an axis may be in use there, overflow
// included.
Fit PrefixAcrossFactors(const factors::FactorTable& table, int t, int f, AxisRef axis);

// Against what the tensor itself says in `cell` (of tensor `t`, existing): its replicated and
// unreduced axes, and whether the factor takes more than it has. `before`: product of the sizes of
// the axes that are to stand before this one.
Fit PrefixWithinFactor(const factors::FactorTable& table, int t, int cell, AxisRef axis,
                       int64_t before);

// Shortens `axes` to the part that passes `fit(axis, position, before)`, a function that gives what
// remains of one axis; `before` is the product of the sizes of the axes kept before it. The first
// axis that does not pass whole is the last one, if anything remains of it. `conservative`: if what
// remains is a sub-axis it does not count either.
template <typename FitAxis>
void TruncateToPrefix(AxisList& axes, const Mesh& mesh, bool conservative, FitAxis fit) {
  int64_t before = 1;
  size_t kept = 0;
  for (bool whole = true; whole && kept < axes.size(); ++kept) {
    const AxisRef wanted = axes[kept];
    const std::optional<AxisRef> axis = fit(wanted, static_cast<int>(kept), before);
    if (!axis || (conservative && axis->is_sub())) break;
    whole = *axis == wanted;
    axes[kept] = *axis;
    before *= axis->size(mesh);
  }
  axes.resize(kept);
}

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_STEP_CONFLICTS_H_
