// Operations inside manual code (shard_map). XLA: HandleCustomCall of SPMDFullToShardShape and
// SPMDShardToFullShape, HandleCollectivePermute and the handlers of other collectives.

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/ops.h"

namespace tessera::sharding::partition {
namespace {

bool HasChannel(const Visit& v) {
  return v.module().HasAttribute(v.id, hlo::AttributeName::kChannelId);
}

}  // namespace

absl::StatusOr<NodeId> PartitionAllReduce(Visit& v) {
  if (!HasChannel(v) && v.operands.size() == 1) return PartitionElementwise(v);
  if (!HasChannel(v)) return Default(v);
  if (v.operands.size() != 1) {
    return absl::InvalidArgumentError(
        "an all-reduce of several operands in manual code is not partitioned; reduce each alone");
  }
  if (v.tiling().IsTiled() && !v.tiling().HasManual()) {
    return absl::InvalidArgumentError(
        "an all-reduce with a channel of an array that is cut must be in manual code: its sharding "
        "must be manual, or have a manual subgroup");
  }
  return PartitionElementwise(v);
}

absl::StatusOr<NodeId> PartitionCollectivePermute(Visit& v) {
  return HasChannel(v) ? PartitionElementwise(v) : Default(v);
}

absl::StatusOr<NodeId> PartitionPartitionId(Visit& v) {
  if (v.tiling().IsManual()) return Clone(v, *v.base, {});
  return absl::InvalidArgumentError(
      "partition-id outside manual code has no meaning for the partitioner; if the module is "
      "partitioned already, its HloModule line needs num_partitions=N");
}

}  // namespace tessera::sharding::partition
