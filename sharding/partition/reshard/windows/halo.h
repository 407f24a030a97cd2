// Halo exchange: shards that grow by elements of their left and right neighbours.
//
//   // 4 shards of 8; shard i needs 2 elements of shard i - 1
//   ExchangeHalo(value, {0, {0, 2, 2, 2}, {0, 0, 0, 0}});   // one collective-permute of f32[2]
//
// Sizes are given for each shard along the dimension; a negative size means that elements at that
// end are not needed. XLA: spmd_partitioner_util, ExchangeHalo.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_HALO_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_HALO_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "tessera/sharding/partition/reshard/scope.h"
#include "tessera/sharding/partition/reshard/tables.h"

namespace tessera::sharding::partition {

// A number for each of `count` shards.
Dims PerShard(int64_t count, const std::function<int64_t(int64_t)>& of);

struct Halo {
  int64_t dim = 0;
  Dims left, right;
};

// The shard with its halos. Nullopt if no shard needs an element, or if a halo is longer than a
// shard and the grown shard would be as long as the whole array.
std::optional<NodeId> ExchangeHalo(const PartitionedHlo& value, const Halo& halo);
// The same for long halos of which each shard needs few pieces. Never fails. `fill`: the value
// beyond the array, -1 for any. `ordinal`: of each shard.
NodeId ExchangeHaloInPieces(const PartitionedHlo& value, const Halo& halo, TableId ordinal,
                            NodeId fill);

// What a device needs of the padded array.
struct HaloRegion {
  int64_t left_padding = 0;                           // of the whole
  int64_t padded_size = 0;                            // of the whole
  int64_t shard_size = 0;                             // with halo
  TableId ordinal = 0;                                // of each shard
  TableId first = 0;                                  // its first element in the padded array
  std::optional<Offset> first_offset = std::nullopt;  // what gives that of the ordinal
  bool mask = true;                                   // what stands beyond the array is `fill`
  bool mask_pieces = false;                           // the same, if pieces are exchanged
};
std::optional<NodeId> ExchangeRegion(const PartitionedHlo& value, const Halo& halo,
                                     const HaloRegion& region, NodeId fill);

// Shards whose sizes change a little, because the number of shards changes: elements move to the
// left or to the right.
NodeId AlignShardsForGather(const PartitionedHlo& value, const Tiling& target, Ints dims);
NodeId PadShardsForSlice(const PartitionedHlo& value, const Tiling& target, Ints dims);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_HALO_H_
