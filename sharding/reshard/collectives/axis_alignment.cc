#include "tessera/sharding/reshard/collectives/axis_alignment.h"

#include <initializer_list>

#include "tessera/sharding/axis_lists.h"

namespace tessera::sharding::reshard {
namespace {

// The pieces of `axis`, appended to `out`.
void Cut(AxisRef axis, absl::Span<const AxisRef> sorted, const Mesh& mesh, AxisList& out) {
  const AxisRef* border = FirstOverlapping(axis, sorted, AxisNameLess(mesh));
  const AxisRef* const end = sorted.data() + sorted.size();
  for (; border != nullptr && border != end; ++border) {
    if (!CanCoexist(axis, *border) || !Overlaps(axis, *border) || Contains(*border, axis)) break;
    if (axis.axis() != border->axis()) break;
    const std::optional<AxisRef> before = PrefixWithoutOverlap(axis, *border);
    const std::optional<AxisRef> after = SuffixWithoutOverlap(axis, *border, mesh);
    if (before) out.push_back(*before);
    out.push_back(*Overlap(axis, *border));
    if (!after) return;
    axis = *after;
  }
  out.push_back(axis);
}

}  // namespace

void Align(AxisList& axes, absl::Span<const AxisRef> sorted, const Mesh& mesh) {
  AxisList pieces;
  for (const AxisRef axis : axes) Cut(axis, sorted, mesh, pieces);
  axes = pieces;
}

void RemoveFromBack(AxisList& axes, absl::Span<const AxisRef> minor) {
  for (auto axis = minor.rbegin(); axis != minor.rend() && !axes.empty(); ++axis) {
    const std::optional<AxisRef> left = PrefixWithoutOverlap(axes.back(), *axis);
    if (left) {
      axes.back() = *left;
    } else {
      axes.pop_back();
    }
  }
}

std::optional<Portion> TakePortion(AxisRef axis, int64_t& capacity, const Mesh& mesh) {
  const int64_t size = axis.size(mesh);
  if (capacity <= 1 || (size % capacity != 0 && capacity % size != 0)) return std::nullopt;
  if (size <= capacity) {
    capacity /= size;
    return Portion{axis, std::nullopt};
  }
  const int64_t pre = axis.pre_size();
  Portion portion{AxisRef::Sub(axis.axis(), pre, capacity),
                  AxisRef::Sub(axis.axis(), pre * capacity, size / capacity)};
  capacity = 1;
  return portion;
}

}  // namespace tessera::sharding::reshard
