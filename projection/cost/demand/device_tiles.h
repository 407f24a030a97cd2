// The tiles of devices (sharding/device_tiles.h) as boxes.
//
//   // mesh x=4, y=2; [{x}, {y}] on 16 x 8
//   sharding::DeviceGrid grid(mesh);
//   *TileBox(grid, {16, 8}, sharding, 3)     // position 3 is (1, 1): zr[4:8, 4:8]
#ifndef TESSERA_PROJECTION_COST_DEMAND_DEVICE_TILES_H_
#define TESSERA_PROJECTION_COST_DEMAND_DEVICE_TILES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tessera/projection/core/range.h"
#include "tessera/sharding/device_tiles.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::projection {

// kRankMismatch. A scalar has no empty range: it counts as held by every device.
absl::StatusOr<ZRange> TileBox(const sharding::DeviceGrid& grid, const ZPoint& shape,
                               const sharding::TensorSharding& sharding, int64_t position);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_DEMAND_DEVICE_TILES_H_
