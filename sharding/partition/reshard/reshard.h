// From one tiling of an array to another one, with the collectives that the partitioner takes.
//
//   // x: [8,1]<=[8] of f32[16,32]
//   Value y = Reshard(x, Tiling::Of(*ParseHloSharding("{devices=[1,8]<=[8]}")));   // one all-to-all
//   Replicate(x);                                                                  // an all-gather
//
// Results are remembered in the scope of the value: the same wish gives the same node.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_RESHARD_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_RESHARD_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/reshard/scope.h"
#include "tessera/sharding/partition/tiling/grouping.h"

namespace tessera::sharding::partition {

Value Reshard(const Value& value, const Tiling& target);
Value Replicate(const Value& value);

// Without memory at the top level. Where nothing but replicating everything would help, this
// happens if allowed; else the value comes back as it was.
Value ReshardAfresh(const Value& value, const Tiling& target, bool may_replicate = true);

// The value whole along `dims` (cuts of other dimensions stay); the node alone.
NodeId ReplicateDims(const Value& value, Ints dims);

// The padding of uneven shards filled with a scalar. In `skipped` dimensions it stays; `left` ones
// have it in front.
Value Masked(const Value& value, NodeId scalar, Ints skipped = {});
Value MaskedWithZero(const Value& value, Ints skipped = {});
Value MaskedWithZeroOn(const Value& value, Ints dims);

// A copy that shares no memory with the value.
Value Unshared(const Value& value);

// --- Ways, each where it applies -----------------------------------------------------------------

bool CanPermute(const Tiling& from, const Tiling& to);
Value Permute(const Value& value, const Tiling& target);

// Source and target dimension of each exchange, in order; nothing: not this way.
using Moves = std::vector<std::pair<int64_t, int64_t>>;
std::optional<Moves> MovesBetween(const Tiling& from, const Tiling& to);
Value AllToAll(const Value& value, const Tiling& target, const Moves& moves,
               bool several_at_once = true);

std::optional<Value> SliceReplicas(const Value& value, const Tiling& target);
std::optional<Value> GatherToReplicas(const Value& value, const Tiling& target);
std::optional<Value> SwapReplicas(const Value& value, const Tiling& target);
std::optional<Value> SplitAndReshard(const Value& value, const Tiling& target);

// The part of a replicated value that each of the groups holds, which are groups along `dims`.
NodeId SliceForGroups(const Value& replicated, Ints dims, const Grouping& groups);
// The tiles of a replicated value. `fill`: the scalar that uneven ones end with; -1: zero.
NodeId SliceReplicated(const Value& replicated, const Tiling& target, NodeId fill = -1);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_RESHARD_H_
