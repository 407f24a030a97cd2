#include "tessera/sharding/graph/boundary.h"

#include <algorithm>
#include <numeric>

#include "tessera/sharding/axes.h"
#include "tessera/sharding/axis_lists.h"

namespace tessera::sharding::graph {
namespace {

AxisList EvenAxes(absl::Span<const AxisRef> axes, int64_t left, const Mesh& mesh) {
  AxisList kept;
  for (AxisRef axis : axes) {
    const int64_t size = axis.size(mesh);
    const int64_t common = std::gcd(size, left);
    if (common == 1 && size != 1) break;
    if (common != size) {
      kept.push_back(AxisRef::Sub(axis.axis(), axis.pre_size(), common));
      break;
    }
    kept.push_back(axis);
    left /= common;
  }
  return kept;
}

}  // namespace

TensorSharding EvenlySharded(const TensorSharding& s, absl::Span<const int64_t> dims,
                             const Mesh& mesh) {
  TensorSharding even = s;
  for (int d = 0; d < even.rank() && d < static_cast<int>(dims.size()); ++d) {
    DimensionSharding& dim = even.dim(d);
    const int64_t size = dims[static_cast<size_t>(d)];
    if (size < 0 || size % ShardedSize(dim.axes, mesh) == 0) continue;
    dim.axes = EvenAxes(dim.axes, size, mesh);
    dim.priority = kNoPriority;
  }
  return even;
}

TensorSharding CutSubAxes(const TensorSharding& s) {
  TensorSharding cut = s;
  for (DimensionSharding& dim : cut.mutable_dims()) {
    if (dim.is_closed) continue;
    const auto first =
        std::find_if(dim.axes.begin(), dim.axes.end(), [](AxisRef axis) { return axis.is_sub(); });
    dim.axes.erase(first, dim.axes.end());
  }
  return cut;
}

}  // namespace tessera::sharding::graph
