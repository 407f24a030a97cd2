// Whether one tiling refines another: on every device the fine tile must begin no earlier than the
// coarse one, and end no later unless it passes the end of the array. XLA: hlo_sharding_util,
// IsSubTilingOrEqualSharding.

#include <cstdint>
#include <vector>

#include "tessera/sharding/partition/tiling/algebra.h"

namespace tessera::sharding::partition {
namespace {

// First element of the tile of every device, dimension by dimension.
std::vector<Dims> Starts(const layout::Shape& shape, const Tiling& tiling) {
  std::vector<Dims> out(static_cast<size_t>(tiling.num_devices()));
  Dims index(static_cast<size_t>(tiling.num_dims()), 0);
  for (int64_t device : tiling.grid().Devices()) {
    Dims& start = At(out, device);
    for (int64_t i = 0; i < shape.rank(); ++i) {
      start.push_back(At(index, i) * CeilDiv(shape.dim(i), tiling.dim(i)));
    }
    for (int64_t i = tiling.num_dims(); i-- > 0;) {
      if (++At(index, i) < tiling.dim(i)) break;
      At(index, i) = 0;
    }
  }
  return out;
}

}  // namespace

bool Refines(const layout::Shape& shape, const Tiling& fine, const Tiling& coarse) {
  if (fine.IsManual() || coarse.IsManual()) return false;
  if (coarse.IsMaximal()) return true;
  if (fine.IsMaximal()) return false;
  if (fine.data_rank() != coarse.data_rank() || fine.data_rank() != shape.rank()) return false;
  if (fine.num_devices() != coarse.num_devices()) return false;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (fine.dim(i) < coarse.dim(i)) return false;
  }
  const std::vector<Dims> fine_starts = Starts(shape, fine);
  const std::vector<Dims> coarse_starts = Starts(shape, coarse);
  const layout::Shape fine_size = ShardShape(shape, fine);
  const layout::Shape coarse_size = ShardShape(shape, coarse);
  for (int64_t device = 0; device < Size(fine_starts); ++device) {
    for (int64_t i = 0; i < shape.rank(); ++i) {
      const int64_t start = At(At(fine_starts, device), i);
      const int64_t coarse_start = At(At(coarse_starts, device), i);
      const int64_t end = start + fine_size.dim(i);
      if (start < coarse_start) return false;
      if (end <= shape.dim(i) && end > coarse_start + coarse_size.dim(i)) return false;
    }
  }
  return true;
}

}  // namespace tessera::sharding::partition
