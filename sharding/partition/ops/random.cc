// Random numbers: replicated ones are made on one device and sent to all.
// XLA: SpmdPartitioningVisitor::HandleRng.

#include "tessera/sharding/partition/ops/ops.h"

namespace tessera::sharding::partition {

absl::StatusOr<NodeId> PartitionRng(Visit& v) {
  const Tiling& tiling = v.tiling();
  if (tiling.IsSingle()) return PartitionOnOneDevice(v);
  const Tiling wanted = tiling.IsTiled()        ? Tiling::Replicated()
                        : tiling.IsReplicated() ? Tiling::Single(0)
                                                : tiling;
  std::vector<NodeId> operands;
  for (size_t i = 0; i < v.operands.size(); ++i) {
    operands.push_back(Reshard(v.operand(i), wanted).node);
  }
  const NodeId node = v.graph().Add(Opcode::kRng, v.shard_shape(), operands, Recipes::kAsWritten);
  if (v.unreduced) return node;
  if (tiling.IsReplicated()) return Replicate(v.Result(node, Tiling::Single(0))).node;
  if (!tiling.LastIsReplicated()) return node;
  const Grouping groups = GroupOn(tiling, Iota(tiling.num_dims() - 1));
  return Replicate({node, v.shard_shape(), Tiling::Single(0), &v.scope->PerGroup(groups.devices)})
      .node;
}

}  // namespace tessera::sharding::partition
