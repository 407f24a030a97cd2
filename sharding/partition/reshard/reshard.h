// Reshards an array from one tiling to another, with the collectives of XLA's partitioner.
//
//   // x: [8,1]<=[8] of f32[16,32]
//   Reshard(x, Tiling::Of(*ParseHloSharding("{devices=[1,8]<=[8]}")));    // one all-to-all
//   Replicate(x);                                                        // an all-gather
//
// Results are cached in the scope of the value: equal targets give the same node.
// XLA: PartitionedHlo::Reshard, Replicate, PadWithValue.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_RESHARD_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_RESHARD_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/reshard/scope.h"
#include "tessera/sharding/partition/tiling/grouping.h"

namespace tessera::sharding::partition {

PartitionedHlo Reshard(const PartitionedHlo& value, const Tiling& target);
PartitionedHlo Replicate(const PartitionedHlo& value);

// Without the cache at the top level. If only full replication would work, it replicates if
// allowed; else it returns the value unchanged.
PartitionedHlo ReshardAfresh(const PartitionedHlo& value, const Tiling& target,
                             bool may_replicate = true);

// Replicates the value along `dims` (shards of other dimensions stay); returns the node.
NodeId ReplicateDims(const PartitionedHlo& value, Ints dims);

// Fills the padding of uneven shards with a scalar. Padding along `skipped` dimensions is kept.
PartitionedHlo Masked(const PartitionedHlo& value, NodeId scalar, Ints skipped = {});
PartitionedHlo MaskedWithZero(const PartitionedHlo& value, Ints skipped = {});
PartitionedHlo MaskedWithZeroOn(const PartitionedHlo& value, Ints dims);

// A copy that shares no memory with the value.
PartitionedHlo Unshared(const PartitionedHlo& value);

// --- Ways, each where it applies -----------------------------------------------------------------

bool CanPermute(const Tiling& from, const Tiling& to);
PartitionedHlo Permute(const PartitionedHlo& value, const Tiling& target);

// Source and target dimension of each exchange, in order; nothing: not this way.
using Moves = std::vector<std::pair<int64_t, int64_t>>;
std::optional<Moves> MovesBetween(const Tiling& from, const Tiling& to);
PartitionedHlo AllToAll(const PartitionedHlo& value, const Tiling& target, const Moves& moves,
                        bool several_at_once = true);

std::optional<PartitionedHlo> SliceReplicas(const PartitionedHlo& value, const Tiling& target);
std::optional<PartitionedHlo> GatherToReplicas(const PartitionedHlo& value, const Tiling& target);
std::optional<PartitionedHlo> SwapReplicas(const PartitionedHlo& value, const Tiling& target);
std::optional<PartitionedHlo> SplitAndReshard(const PartitionedHlo& value, const Tiling& target);

// The part of a replicated value that each of the groups holds, which are groups along `dims`.
NodeId SliceForGroups(const PartitionedHlo& replicated, Ints dims, const Grouping& groups);
// The tiles of a replicated value. `fill`: the scalar that uneven ones end with; -1: zero.
NodeId SliceReplicated(const PartitionedHlo& replicated, const Tiling& target, NodeId fill = -1);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_RESHARD_H_
