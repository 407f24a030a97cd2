#include "tessera/sharding/axis_lists.h"

#include <algorithm>

namespace tessera::sharding {

int64_t ShardedSize(absl::Span<const AxisRef> axes, const Mesh& mesh) {
  int64_t size = 1;
  for (AxisRef axis : axes) size *= axis.size(mesh);
  return size;
}

void AddOrMerge(AxisList& axes, AxisRef axis, const Mesh& mesh) {
  if (!axes.empty() && CanMerge(axes.back(), axis)) {
    axes.back() = Merge(axes.back(), axis, mesh);
  } else {
    axes.push_back(axis);
  }
}

AxisList SortAndMerge(absl::Span<const AxisRef> axes, const Mesh& mesh) {
  AxisList sorted(axes.begin(), axes.end());
  std::sort(sorted.begin(), sorted.end());
  AxisList merged;
  for (AxisRef axis : sorted) AddOrMerge(merged, axis, mesh);
  return merged;
}

const AxisRef* FirstOverlapping(AxisRef axis, absl::Span<const AxisRef> sorted,
                                const AxisNameLess& less) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), axis,
                                   [&less](AxisRef a, AxisRef b) { return less(a, b); });
  if (at != sorted.begin() && Overlaps(*(at - 1), axis)) return &*(at - 1);
  if (at != sorted.end() && Overlaps(*at, axis)) return &*at;
  return nullptr;
}

bool OverlapsAny(AxisRef axis, absl::Span<const AxisRef> axes) {
  return std::any_of(axes.begin(), axes.end(), [axis](AxisRef a) { return Overlaps(a, axis); });
}

bool OverlapsAny(absl::Span<const AxisRef> others, absl::Span<const AxisRef> axes) {
  return std::any_of(others.begin(), others.end(), [&](AxisRef a) { return OverlapsAny(a, axes); });
}

bool Truncate(AxisList& axes, absl::Span<const AxisRef> others) {
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<AxisRef> prefix = axes[i];
    for (size_t k = 0; prefix && k < others.size(); ++k) {
      prefix = PrefixWithoutOverlap(*prefix, others[k]);
    }
    if (prefix == axes[i]) continue;
    axes.resize(i);
    if (prefix) axes.push_back(*prefix);
    return true;
  }
  return false;
}

bool IsStrictPrefixOf(absl::Span<const AxisRef> a, absl::Span<const AxisRef> b) {
  if (a.empty()) return !b.empty();
  if (a.size() > b.size()) return false;
  const size_t last = a.size() - 1;
  if (a.first(last) != b.first(last)) return false;
  return a.size() == b.size() ? IsStrictPrefixOf(a[last], b[last]) : IsPrefixOf(a[last], b[last]);
}

AxisList SetDifference(absl::Span<const AxisRef> a, absl::Span<const AxisRef> b, const Mesh& mesh) {
  if (a.empty() || a == b) return {};
  const AxisNameLess less(mesh);
  AxisList sorted(b.begin(), b.end());
  std::sort(sorted.begin(), sorted.end(), [&less](AxisRef x, AxisRef y) { return less(x, y); });
  AxisList out;
  for (std::optional<AxisRef> rest : a) {
    while (rest) {
      const AxisRef* taken = FirstOverlapping(*rest, sorted, less);
      if (taken == nullptr) {
        out.push_back(*rest);
        break;
      }
      if (const auto prefix = PrefixWithoutOverlap(*rest, *taken)) out.push_back(*prefix);
      rest = SuffixWithoutOverlap(*rest, *taken, mesh);
    }
  }
  return out;
}

void AppendMinor(AxisList& axes, absl::Span<const AxisRef> minor, const Mesh& mesh) {
  if (minor.empty()) return;
  AddOrMerge(axes, minor.front(), mesh);
  axes.insert(axes.end(), minor.begin() + 1, minor.end());
}

}  // namespace tessera::sharding
