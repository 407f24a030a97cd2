// The shard of each device under the sharding of an HLO instruction. (Of a sharding in axes:
// device_tiles.h, which cuts for both.)
//
//   // {devices=[2,2]<=[4]} of [5,7]: tiles of [3,4], the last row and column are smaller
//   TileShape(sharding, {5, 7});        // {3, 4}
//   TileOfDevice(sharding, {5, 7}, 3);  // {{3, 5}, {4, 7}}: rows 3 to 4, columns 4 to 6
//
// All sizes are in elements. Tiles are equal but for the ones at the end of a dimension, which are
// cut off there and may be empty.

#ifndef TESSERA_SHARDING_GEOMETRY_H_
#define TESSERA_SHARDING_GEOMETRY_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/sharding/device_tiles.h"
#include "tessera/sharding/hlo_sharding.h"

namespace tessera::sharding {

// Size of the tiles of a leaf: the shape itself where nothing is split. The sharding must be one
// for arrays of that rank (Validate).
std::vector<int64_t> TileShape(const HloSharding& sharding, absl::Span<const int64_t> dimensions);

// The tile of one device. Where nothing is split: the whole array on every device. InvalidArgument
// if the sharding does not name the device.
absl::StatusOr<std::vector<TileRange>> TileOfDevice(const HloSharding& sharding,
                                                    absl::Span<const int64_t> dimensions,
                                                    int64_t device);

// One leaf of the value that a sharding is for.
struct ShardedLeaf {
  bool is_array = true;  // else a token
  absl::Span<const int64_t> dimensions;
};

// Whether the sharding fits the value on `num_devices` devices: tuple for tuple, leaf count, rank,
// device numbers and their count. InvalidArgument says what does not.
absl::Status ValidateSharding(const HloSharding& sharding, bool is_tuple,
                              absl::Span<const ShardedLeaf> leaves, int64_t num_devices);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_GEOMETRY_H_
