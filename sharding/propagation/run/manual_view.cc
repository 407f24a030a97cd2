#include "tessera/sharding/propagation/run/manual_view.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace tessera::sharding::propagation {
namespace {

class IsManual {
 public:
  explicit IsManual(absl::Span<const int> axes) : axes_(axes) {}
  bool operator()(AxisRef a) const { return absl::c_linear_search(axes_, a.axis()); }

 private:
  absl::Span<const int> axes_;
};

void RemoveManual(AxisList& axes, IsManual is_manual) {
  axes.erase(std::remove_if(axes.begin(), axes.end(), is_manual), axes.end());
}

}  // namespace

TensorSharding WithManualPart(const TensorSharding& inner, const TensorSharding& boundary,
                              absl::Span<const int> manual_axes) {
  TensorSharding outer = inner;
  const IsManual is_manual(manual_axes);
  for (int d = 0; d < std::min(inner.rank(), boundary.rank()); ++d) {
    const AxisList& axes = boundary.dim(d).axes;
    outer.dim(d).axes.insert(outer.dim(d).axes.begin(), axes.begin(),
                             absl::c_find_if_not(axes, is_manual));
  }
  outer.mutable_replicated_axes() = boundary.replicated_axes();
  outer.mutable_unreduced_axes() = boundary.unreduced_axes();
  outer.set_reduction(boundary.reduction());
  return outer;
}

TensorSharding WithoutManualPart(const TensorSharding& outer, absl::Span<const int> manual_axes) {
  TensorSharding inner = outer;
  const IsManual is_manual(manual_axes);
  for (DimensionSharding& d : inner.mutable_dims()) {
    d.axes.erase(d.axes.begin(), absl::c_find_if_not(d.axes, is_manual));
  }
  RemoveManual(inner.mutable_replicated_axes(), is_manual);
  RemoveManual(inner.mutable_unreduced_axes(), is_manual);
  return inner;
}

}  // namespace tessera::sharding::propagation
