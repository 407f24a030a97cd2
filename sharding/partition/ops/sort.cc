// Sorts. Every device sorts whole lines: the shards of the sorted dimension move to another
// dimension, or it is replicated. A search for the k largest elements of a sharded dimension runs
// per shard first. XLA: SpmdPartitioningVisitor::HandleSort.

#include <algorithm>
#include <optional>

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/largest.h"
#include "tessera/sharding/partition/ops/ops.h"

namespace tessera::sharding::partition {
namespace {

// Sorts shards; `tiling` is the sharding of all operands.
absl::StatusOr<NodeId> SortAs(Visit& v, const Tiling& tiling) {
  std::vector<NodeId> operands;
  for (size_t i = 0; i < v.operands.size(); ++i) {
    operands.push_back(Reshard(v.operand(i), tiling).node);
  }
  const std::vector<Tiling> leaves = Uniform(*v.base, tiling);
  const NodeId node = Clone(v, ShardShapes(*v.base, leaves), operands);
  return ReshardLeaves({node, v.base, leaves, v.scope}, v.leaves);
}

Shape PairOf(const Shape& a, const Shape& b) { return Shape::Tuple({a, b}); }

// The k largest of each shard, gathered and sorted again.
absl::StatusOr<NodeId> LargestOfShards(Visit& v, int64_t dim, int64_t k) {
  Graph& graph = v.graph();
  const PartitionedHlo data = Masked(v.operand(0), graph.Scalar(v.operands[0].base->element_type(),
                                                                recipe::Fill::Number::kLowest));
  const PartitionedHlo index = MaskedWithZero(Reshard(v.operand(1), data.tiling));
  const NodeId sorted =
      Clone(v, PairOf(graph.shape(data.node), graph.shape(index.node)), {data.node, index.node});
  std::vector<NodeId> whole;
  for (int64_t i = 0; i < 2; ++i) {
    const NodeId element = graph.Element(sorted, i);
    Shape part = graph.shape(element), base = *v.operands[static_cast<size_t>(i)].base;
    part.set_dim(dim, k);
    base.set_dim(dim, k * data.tiling.dim(dim));
    const NodeId first = graph.SliceFirst(part, element);
    whole.push_back(Replicate({first, base, data.tiling, v.scope}).node);
  }
  const Shape shape = PairOf(graph.shape(whole[0]), graph.shape(whole[1]));
  const NodeId node = Clone(v, shape, whole);
  return ReshardLeaves({node, &graph.shape(node), Uniform(*v.base, Tiling()), v.scope}, v.leaves);
}

}  // namespace

absl::StatusOr<NodeId> PartitionSort(Visit& v) {
  if (v.OnOneDevice()) return SortAs(v, v.tiling());
  const int64_t dim = hlo::GetDimension(v.module(), v.id).value_or(0);
  if (v.graph().options().sorts_shards_for_largest) {
    if (const auto k = LargestOfCutDim(v, dim)) return LargestOfShards(v, dim, *k);
  }
  const Shape& first = *v.operands[0].base;
  if (!v.LeavesAgree() || v.tiling().IsMaximal()) return Default(v);
  if (v.tiling().dim(dim) == 1) return SortAs(v, v.tiling());
  if (first.rank() == 1) return Default(v);
  const auto target = TargetForCuts(first, v.tiling(), dim);
  return SortAs(
      v, target.has_value() ? MoveCuts(v.tiling(), dim, *target) : ReplicateOn(v.tiling(), {dim}));
}

}  // namespace tessera::sharding::partition
