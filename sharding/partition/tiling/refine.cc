// Whether one tiling refines another. On every device the fine tile must begin no earlier than the
// coarse one, and end no later unless it passes the end of the array.
//
//   [4,2]<=[8] refines [2,1,4]<=[8]: devices 0 .. 3 have the first half of the rows in both
//
// Where all sizes divide, each coarse tile must have the devices of its fine ones. The fine grid is
// split in (coarse tile, rest), and both grids are compared with the devices of a coarse tile
// sorted: a few steps on iotas. Elsewhere, and for lists, the cost is linear in the devices. XLA:
// hlo_sharding_util, IsSubTilingOrEqualSharding. Tested by algebra_test.cc.

#include <cstdint>
#include <vector>

#include "tessera/sharding/partition/tiling/algebra.h"

namespace tessera::sharding::partition {
namespace {

// First elements of the tile of every device, those of one device in a row.
std::vector<int64_t> Starts(const layout::Shape& shape, const Tiling& tiling) {
  const int64_t rank = shape.rank();
  const layout::Shape tile = ShardShape(shape, tiling);
  std::vector<int64_t> out(static_cast<size_t>(tiling.num_devices() * rank));
  Dims index(static_cast<size_t>(tiling.num_dims()), 0);
  for (int64_t device : tiling.grid().Devices()) {
    for (int64_t i = 0; i < rank; ++i) At(out, device * rank + i) = At(index, i) * tile.dim(i);
    for (int64_t i = tiling.num_dims(); i-- > 0;) {
      if (++At(index, i) < tiling.dim(i)) break;
      At(index, i) = 0;
    }
  }
  return out;
}

bool Divides(const layout::Shape& shape, const Tiling& fine, const Tiling& coarse) {
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) == 0 || shape.dim(i) % fine.dim(i) != 0) return false;
    if (fine.dim(i) % coarse.dim(i) != 0) return false;
  }
  return true;
}

// The grid of the fine tiling, those of one coarse tile after each other.
TileAssignment ByCoarseTiles(const Tiling& fine, const Tiling& coarse) {
  const int64_t rank = fine.data_rank();
  Dims split, order, rest;
  for (int64_t i = 0; i < rank; ++i) {
    order.push_back(Size(split));
    split.push_back(coarse.dim(i));
    if (fine.dim(i) == coarse.dim(i)) continue;
    rest.push_back(Size(split));
    split.push_back(fine.dim(i) / coarse.dim(i));
  }
  for (int64_t i = rank; i < fine.num_dims(); ++i) {
    rest.push_back(Size(split));
    split.push_back(fine.dim(i));
  }
  order.insert(order.end(), rest.begin(), rest.end());
  return fine.grid().Reshape(split).Transpose(order);
}

bool HasSameDevices(const Tiling& fine, const Tiling& coarse) {
  const int64_t devices = fine.num_devices(), size = devices / coarse.tiles();
  const auto sorted = [&](const TileAssignment& grid) {
    return grid.Reshape({devices}).SortMinorGroups(size);
  };
  return sorted(ByCoarseTiles(fine, coarse)) == sorted(coarse.grid());
}

bool EachTileIsInside(const layout::Shape& shape, const Tiling& fine, const Tiling& coarse) {
  const std::vector<int64_t> fine_starts = Starts(shape, fine);
  const std::vector<int64_t> coarse_starts = Starts(shape, coarse);
  const layout::Shape fine_size = ShardShape(shape, fine);
  const layout::Shape coarse_size = ShardShape(shape, coarse);
  for (int64_t at = 0; at < Size(fine_starts); ++at) {
    const int64_t i = at % shape.rank();
    const int64_t start = At(fine_starts, at), coarse_start = At(coarse_starts, at);
    const int64_t end = start + fine_size.dim(i);
    if (start < coarse_start) return false;
    if (end <= shape.dim(i) && end > coarse_start + coarse_size.dim(i)) return false;
  }
  return true;
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
  return Divides(shape, fine, coarse) ? HasSameDevices(fine, coarse)
                                      : EachTileIsInside(shape, fine, coarse);
}

}  // namespace tessera::sharding::partition
