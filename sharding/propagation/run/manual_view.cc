#include "tessera/sharding/propagation/run/manual_view.h"

#include <algorithm>

#include "tessera/sharding/trim.h"

namespace tessera::sharding::propagation {

TensorSharding WithManualPart(const TensorSharding& inner, const TensorSharding& boundary,
                              absl::Span<const int> manual_axes) {
  TensorSharding outer = inner;
  for (int d = 0; d < std::min(inner.rank(), boundary.rank()); ++d) {
    const AxisList& axes = boundary.dim(d).axes;
    outer.dim(d).axes.insert(outer.dim(d).axes.begin(), axes.begin(),
                             axes.begin() + NumManualAxes(axes, manual_axes));
  }
  outer.mutable_replicated_axes() = boundary.replicated_axes();
  outer.mutable_unreduced_axes() = boundary.unreduced_axes();
  outer.set_reduction(boundary.reduction());
  return outer;
}

TensorSharding WithoutManualPart(const TensorSharding& outer, absl::Span<const int> manual_axes) {
  return EraseManualAxes(outer, manual_axes);
}

}  // namespace tessera::sharding::propagation
