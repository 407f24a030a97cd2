// Custom calls: the borders of manual code, and calls into libraries.

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/reshard/window.h"

namespace tessera::sharding::partition {
namespace {

// Leading dimensions that such a call treats as a batch; -1: it does not say so.
int64_t BatchDims(const Visit& v) {
  const auto text = hlo::GetFrontendAttribute(v.module(), v.id, "num_batch_dims");
  int64_t dims = -1;
  if (text.has_value() && absl::SimpleAtoi(*text, &dims)) return dims;
  return -1;
}

// The batch dimensions lie as in the first result, all else is replicated.
absl::StatusOr<NodeId> OnBatches(Visit& v, int64_t dims) {
  const Tiling first = v.tiling();
  const auto batched = [&](const Shape& leaf) {
    if (!first.IsTiled() || !leaf.is_array()) return Tiling::Replicated();
    const Dims kept = Iota(std::min(dims, first.data_rank()));
    return Along(first, kept, kept, leaf.rank());
  };
  std::vector<NodeId> operands;
  for (size_t i = 0; i < v.operands.size(); ++i) {
    operands.push_back(Reshard(v.operand(i), batched(*v.operands[i].base)).node);
  }
  std::vector<Tiling> leaves;
  layout::ForEachLeaf(*v.base, [&](const Shape& leaf) { leaves.push_back(batched(leaf)); });
  const NodeId node = Clone(v, ShardShapes(*v.base, leaves), operands);
  return ReshardLeaves({node, v.base, leaves, v.scope}, v.leaves);
}

// On one device: a branch that only that one takes.
absl::StatusOr<NodeId> OnOneDevice(Visit& v) {
  std::vector<NodeId> operands;
  for (const Placed& operand : v.operands) {
    operands.push_back(ReshardLeaves(operand, Uniform(*operand.base, v.tiling())));
  }
  return Clone(v, *v.base, operands);
}

absl::StatusOr<NodeId> Border(Visit& v, bool into_manual) {
  Value input = v.operand(0);
  if (into_manual && !IsEven(input.base, input.tiling)) input = MaskedWithZero(input);
  return v.graph().Copy(input.node);
}

// The k largest of lines that are cut: found part by part.
bool IsTopKOfParts(const Visit& v) {
  const Tiling tiling = v.operand(0).tiling;
  if (!tiling.IsTiled() || tiling.LastIsReplicated() || v.operands[0].base->rank() != 2 ||
      !v.base->is_tuple()) {
    return false;
  }
  const int64_t part = CeilDiv(v.operands[0].base->dim(1), tiling.dim(1));
  return tiling.dim(1) > 1 && v.base->tuple_elements()[0].dim(1) < part;
}

}  // namespace

absl::StatusOr<NodeId> PartitionCustomCall(Visit& v) {
  const std::string target = hlo::GetCustomCallTarget(v.module(), v.id);
  if (target == "SPMDFullToShardShape") return Border(v, /*into_manual=*/true);
  if (target == "SPMDShardToFullShape") return Border(v, /*into_manual=*/false);
  if (target == "CustomSPMDPartitioning") {
    return absl::UnimplementedError(
        "custom_partitioning is decided by a callback of the program, which is not in the module");
  }
  if (target == "TopK" && IsTopKOfParts(v)) {
    return absl::UnimplementedError("TopK along a dimension that is cut is not described");
  }
  if (v.OnOneDevice() || v.tiling().IsManual()) return OnOneDevice(v);
  const int64_t batch = BatchDims(v);
  if (batch >= 0) return OnBatches(v, batch);
  return Default(v);
}

}  // namespace tessera::sharding::partition
