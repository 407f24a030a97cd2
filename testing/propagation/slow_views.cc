#include "tessera/testing/propagation/slow_views.h"

#include <algorithm>

namespace tessera::sharding::propagation {
namespace {

// The axes of a dimension in two: up to the last manual one, and the rest.
struct Parts {
  AxisList manual;
  AxisList free;
};

bool IsIn(AxisRef axis, absl::Span<const int> axes) {
  return std::count(axes.begin(), axes.end(), axis.axis()) > 0;
}

Parts PartsOf(const AxisList& axes, absl::Span<const int> manual_axes) {
  Parts parts;
  for (const AxisRef axis : axes) {
    parts.free.push_back(axis);
    if (!IsIn(axis, manual_axes)) continue;
    for (const AxisRef moved : parts.free) parts.manual.push_back(moved);
    parts.free.clear();
  }
  return parts;
}

AxisList NotManual(const AxisList& axes, absl::Span<const int> manual_axes) {
  AxisList out;
  for (const AxisRef axis : axes) {
    if (!IsIn(axis, manual_axes)) out.push_back(axis);
  }
  return out;
}

bool Waits(const DimensionSharding& dim) { return dim.effective_priority() > 0; }

}  // namespace

TensorSharding SlowOuterView(const TensorSharding& inner, const TensorSharding& boundary,
                             absl::Span<const int> manual_axes) {
  TensorSharding out = boundary;
  out.mutable_dims() = inner.dims();
  for (int d = 0; d < inner.rank() && d < boundary.rank(); ++d) {
    AxisList axes = PartsOf(boundary.dim(d).axes, manual_axes).manual;
    for (const AxisRef axis : inner.dim(d).axes) axes.push_back(axis);
    out.dim(d).axes = axes;
  }
  return out;
}

TensorSharding SlowInnerView(const TensorSharding& outer, absl::Span<const int> manual_axes) {
  TensorSharding out = outer;
  for (int d = 0; d < outer.rank(); ++d) {
    out.dim(d).axes = PartsOf(outer.dim(d).axes, manual_axes).free;
  }
  out.mutable_replicated_axes() = NotManual(outer.replicated_axes(), manual_axes);
  out.mutable_unreduced_axes() = NotManual(outer.unreduced_axes(), manual_axes);
  return out;
}

std::set<int64_t> SlowRounds(const TensorSharding& s) {
  std::set<int64_t> rounds;
  for (const DimensionSharding& dim : s.dims()) {
    if (Waits(dim)) rounds.insert(dim.priority);
  }
  return rounds;
}

TensorSharding SlowFirstRound(const TensorSharding& s) {
  TensorSharding out = s;
  std::set<AxisRef> kept(s.replicated_axes().begin(), s.replicated_axes().end());
  for (int d = 0; d < s.rank(); ++d) {
    if (Waits(s.dim(d))) {
      kept.insert(s.dim(d).axes.begin(), s.dim(d).axes.end());
      out.dim(d) = DimensionSharding();
    }
    out.dim(d).priority = kNoPriority;
  }
  out.mutable_replicated_axes().assign(kept.begin(), kept.end());
  return out;
}

TensorSharding SlowRound(const TensorSharding& now, const TensorSharding& original,
                         int64_t priority) {
  TensorSharding out = now;
  std::set<AxisRef> back;
  for (int d = 0; d < original.rank(); ++d) {
    if (original.dim(d).effective_priority() != priority) continue;
    back.insert(original.dim(d).axes.begin(), original.dim(d).axes.end());
    out.dim(d) = original.dim(d);
    out.dim(d).priority = kNoPriority;
  }
  AxisList kept;
  for (const AxisRef axis : now.replicated_axes()) {
    if (back.count(axis) == 0) kept.push_back(axis);
  }
  out.mutable_replicated_axes() = kept;
  return out;
}

}  // namespace tessera::sharding::propagation
