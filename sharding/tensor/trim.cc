#include "tessera/sharding/trim.h"

#include <algorithm>
#include <numeric>

#include "tessera/sharding/axis_lists.h"

namespace tessera::sharding {
namespace {

template <typename Predicate>
void EraseIf(AxisList& axes, Predicate gone) {
  axes.erase(std::remove_if(axes.begin(), axes.end(), gone), axes.end());
}

bool IsManual(AxisRef axis, absl::Span<const int> manual_axes) {
  return std::find(manual_axes.begin(), manual_axes.end(), axis.axis()) != manual_axes.end();
}

// The axes, from the major end, that divide a dimension of this size.
AxisList DividingPrefix(const AxisList& axes, const Mesh& mesh, int64_t size) {
  AxisList kept;
  int64_t rest = size;
  for (AxisRef axis : axes) {
    const int64_t parts = axis.size(mesh);
    const int64_t common = std::gcd(parts, rest);
    if (common == 1) break;
    if (common < parts) {
      kept.push_back(AxisRef::Sub(axis.axis(), axis.pre_size(), common));
      break;
    }
    kept.push_back(axis);
    rest /= common;
  }
  return kept;
}

}  // namespace

size_t NumManualAxes(const AxisList& axes, absl::Span<const int> manual_axes) {
  size_t count = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (IsManual(axes[i], manual_axes)) count = i + 1;
  }
  return count;
}

TensorSharding EraseManualAxes(const TensorSharding& sharding, absl::Span<const int> manual_axes) {
  const auto is_manual = [manual_axes](AxisRef axis) { return IsManual(axis, manual_axes); };
  TensorSharding out = sharding;
  for (DimensionSharding& dim : out.mutable_dims()) {
    dim.axes.erase(dim.axes.begin(), dim.axes.begin() + NumManualAxes(dim.axes, manual_axes));
  }
  EraseIf(out.mutable_replicated_axes(), is_manual);
  EraseIf(out.mutable_unreduced_axes(), is_manual);
  return out;
}

TensorSharding WithManualAxes(const TensorSharding& inner, const TensorSharding& boundary,
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

TensorSharding RemoveSizeOneAxes(const TensorSharding& sharding, const Mesh& mesh) {
  const auto is_one = [&mesh](AxisRef axis) { return axis.size(mesh) == 1; };
  TensorSharding out = sharding;
  for (DimensionSharding& dim : out.mutable_dims()) {
    EraseIf(dim.axes, is_one);
    if (dim.axes.empty() && dim.is_closed) dim.priority = kNoPriority;
  }
  EraseIf(out.mutable_replicated_axes(), is_one);
  EraseIf(out.mutable_unreduced_axes(), is_one);
  return out;
}

TensorSharding EvenlySharded(const TensorSharding& sharding, const Mesh& mesh,
                             absl::Span<const int64_t> dimensions) {
  TensorSharding out = sharding;
  for (int d = 0; d < out.rank(); ++d) {
    const int64_t size = dimensions[static_cast<size_t>(d)];
    DimensionSharding& dim = out.dim(d);
    if (size < 0 || size % ShardedSize(dim.axes, mesh) == 0) continue;
    dim.axes = DividingPrefix(dim.axes, mesh, size);
    dim.priority = kNoPriority;
  }
  return out;
}

TensorSharding CutSubAxesOfOpenDims(const TensorSharding& sharding) {
  TensorSharding out = sharding;
  for (DimensionSharding& dim : out.mutable_dims()) {
    if (dim.is_closed) continue;
    const auto first_sub =
        std::find_if(dim.axes.begin(), dim.axes.end(), [](AxisRef axis) { return axis.is_sub(); });
    dim.axes.erase(first_sub, dim.axes.end());
  }
  return out;
}

std::vector<int64_t> LocalShape(const TensorSharding& sharding, const Mesh& mesh,
                                absl::Span<const int64_t> dimensions) {
  std::vector<int64_t> local(dimensions.begin(), dimensions.end());
  for (int d = 0; d < sharding.rank(); ++d) {
    int64_t& size = local[static_cast<size_t>(d)];
    const int64_t parts = ShardedSize(sharding.dim(d).axes, mesh);
    if (size > 0) size = (size - 1) / parts + 1;
  }
  return local;
}

}  // namespace tessera::sharding
