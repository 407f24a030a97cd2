#include "tessera/projection/cost/demand/device_tiles.h"

#include <vector>

#include "tessera/projection/core/error.h"

namespace tessera::projection {

absl::StatusOr<ZRange> TileBox(const sharding::DeviceGrid& grid, const ZPoint& shape,
                               const sharding::TensorSharding& sharding, int64_t position) {
  const absl::StatusOr<std::vector<sharding::TileRange>> tile =
      grid.Tile(shape, sharding, position);
  if (!tile.ok()) return MakeError(ErrorCode::kRankMismatch, tile.status().message());
  ZRange box = ZRange::FromShape(shape);
  for (int d = 0; d < shape.rank(); ++d) {
    box = box.WithDim(d, (*tile)[d].first, (*tile)[d].limit);
  }
  return box;
}

}  // namespace tessera::projection
