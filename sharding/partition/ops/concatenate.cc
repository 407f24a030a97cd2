// Operations that need a dimension unsharded: concatenate, cholesky, triangular-solve. The shards
// of such a dimension move to another dimension that takes them without padding; else it is
// replicated. XLA: SpmdPartitioningVisitor::HandleConcatenate, HandleCholesky,
// HandleTriangularSolve.

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/ops.h"

namespace tessera::sharding::partition {
namespace {

absl::StatusOr<NodeId> RunOnReplicatedDims(Visit& v, const Dims& dims) {
  if (v.tiling().IsMaximal()) return Default(v);
  Tiling moved = v.tiling();
  for (int64_t dim : dims) {
    const auto target =
        TargetForCuts(*v.base, moved, dim, [&dims](int64_t to) { return !Contains(dims, to); });
    moved = target.has_value() ? MoveCuts(moved, dim, *target) : ReplicateOn(moved, {dim});
  }
  std::vector<NodeId> operands;
  for (size_t i = 0; i < v.operands.size(); ++i) {
    operands.push_back(Reshard(v.operand(i), moved).node);
  }
  const NodeId node = Clone(v, ShardShape(*v.base, moved), operands);
  return v.Resharded(node, moved);
}

}  // namespace

absl::StatusOr<NodeId> PartitionConcatenate(Visit& v) {
  const int64_t dim = hlo::GetDimension(v.module(), v.id).value_or(0);
  if (v.graph().options().joins_pads && NeedsPads(v, dim)) return JoinPads(v, dim);
  return RunOnReplicatedDims(v, {dim});
}

absl::StatusOr<NodeId> PartitionLinearAlgebra(Visit& v) {
  return RunOnReplicatedDims(v, {v.base->rank() - 2, v.base->rank() - 1});
}

}  // namespace tessera::sharding::partition
