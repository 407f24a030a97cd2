// The way from one tiling to another: the first of a fixed list that applies. The last one
// replicates the array and slices it. XLA: PartitionedHlo::ReshardNoCache.

#include "tessera/sharding/partition/reshard/reshard.h"

#include <algorithm>

#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/tiling/grouping.h"

namespace tessera::sharding::partition {
namespace {

PartitionedHlo With(const PartitionedHlo& value, NodeId node, const Tiling& tiling) {
  return {node, value.base, tiling, value.scope};
}

// In the form that the readers of its node have left it in.
PartitionedHlo AsLeft(const PartitionedHlo& value) {
  const bool is_v1 = value.scope->graph().node(value.node).is_v1;
  return is_v1 ? With(value, value.node, value.tiling.AsV1()) : value;
}

// Inside the groups of a manual subgroup; a replicated side is replicated there too.
std::optional<PartitionedHlo> InManualGroups(const PartitionedHlo& value, const Tiling& target) {
  const bool from = value.tiling.HasManual(), to = target.HasManual();
  if (!from && !to) return std::nullopt;
  if ((!from && !value.tiling.IsReplicated()) || (!to && !target.IsReplicated())) {
    return std::nullopt;
  }
  Grouping source = GroupOnManual(from ? value.tiling : target);
  Grouping wanted = GroupOnManual(to ? target : value.tiling);
  if (!from) source.inner = Tiling::Replicated();
  if (!to) wanted.inner = Tiling::Replicated();
  const std::optional<Grouping> aligned = AlignIfCompatible(wanted, source);
  if (!aligned.has_value()) return std::nullopt;
  PartitionedHlo inner = value;
  inner.tiling = source.inner;
  inner.scope = &value.scope->PerGroup(source.devices);
  return With(value, ReshardAfresh(inner, aligned->inner).node, target);
}

// Dimensions sharded alike on both sides become groups; the rest is resharded inside.
std::optional<PartitionedHlo> InGroupsOfEqualDims(const PartitionedHlo& value,
                                                  const Tiling& target) {
  Dims equal;
  for (int64_t i = 0; i < value.base.rank(); ++i) {
    if (value.tiling.dim(i) > 1 && target.dim(i) == value.tiling.dim(i)) equal.push_back(i);
  }
  if (equal.empty()) return std::nullopt;
  Graph& graph = value.scope->graph();
  const Grouping from = GroupOn(value.tiling, equal);
  const Grouping to = Align(GroupOn(target, equal), from);
  PartitionedHlo inner = {graph.Copy(value.node), value.base, from.inner,
                          &value.scope->PerGroup(from.devices)};
  for (int64_t dim : equal) inner.base.set_dim(dim, graph.shape(value.node).dim(dim));
  const PartitionedHlo moved = ReshardAfresh(inner, to.inner);
  const Tiling reached = Ungroup(to);
  if (reached == value.tiling) {  // the same question again, without end
    graph.Fail("tessera knows no reshard from the sharding of an operand to the needed one");
    return With(value, value.node, target);
  }
  return ReshardAfresh(With(value, moved.node, reached), target);
}

// Neither side is replicated, and no direct way leads there.
std::optional<PartitionedHlo> ByDetour(const PartitionedHlo& value, const Tiling& target) {
  if (!value.tiling.IsTiled() || !target.IsTiled()) return std::nullopt;
  if (auto result = SplitAndReshard(value, target)) return result;
  return InGroupsOfEqualDims(value, target);
}

std::optional<PartitionedHlo> Directly(const PartitionedHlo& value, const Tiling& target) {
  const Tiling& from = value.tiling;
  if (CanPermute(from, target)) return Permute(value, target);
  if (const auto moves = MovesBetween(from, target)) return AllToAll(value, target, *moves);
  if (!target.IsMaximal() && from.LastIsReplicated()) {
    if (auto result = SliceReplicas(value, target)) return result;
    if (auto result = SwapReplicas(value, target)) return result;
  }
  if (!from.IsMaximal() && target.LastIsReplicated()) {
    if (auto result = GatherToReplicas(value, target)) return result;
    if (auto result = SwapReplicas(value, target)) return result;
  }
  return std::nullopt;
}

// Replicates the array and slices it. XLA logs "Involuntary full rematerialization".
PartitionedHlo Rematerialized(const PartitionedHlo& value, const Tiling& target) {
  Graph& graph = value.scope->graph();
  const size_t first = graph.forms().size();
  const PartitionedHlo whole = Replicate(value);
  graph.MarkRematerialization(first);
  return Reshard(whole, target);
}

// A select of elements that are no padding.
RecipeId InsideOf(const PartitionedHlo& value, Ints skipped) {
  return value.scope->graph().Keep([&] {
    recipe::InRange out;
    const Shape& shard = value.scope->graph().shape(value.node);
    for (int64_t i = 0; i < value.base.rank(); ++i) {
      if (value.base.dim(i) % value.tiling.dim(i) == 0 || Contains(skipped, i)) continue;
      const int64_t size = shard.dim(i);
      const TableId start = StartAlong(*value.scope, value.tiling, i, size);
      out.ranges.push_back({i, start, 0, value.base.dim(i)});
    }
    return out;
  });
}

}  // namespace

PartitionedHlo Unshared(const PartitionedHlo& value) {
  return With(value, value.scope->graph().Copy(value.node), value.tiling);
}

// Whether another user of the array may have this reshard of it, too.
static bool IsShared(const PartitionedHlo& value, const Tiling& target) {
  if (value.scope->graph().options().shares_gathers || !value.base.is_array()) return true;
  int64_t from = 1, to = 1;
  for (int64_t d = 0; d < value.base.rank(); ++d) {
    from *= value.tiling.dim(d);
    to *= target.dim(d);
  }
  return to >= from;
}

PartitionedHlo Reshard(const PartitionedHlo& value, const Tiling& target) {
  if (value.tiling == target) return value;
  Graph& graph = value.scope->graph();
  if (target.IsManual() && graph.node(value.node).opcode == Opcode::kConstant) {
    PartitionedHlo out = Replicate(value);
    out.tiling = target;
    return out;
  }
  const bool is_shared = IsShared(value, target);
  const auto known = is_shared ? value.scope->Reshared(value.node, target) : std::nullopt;
  if (known.has_value()) return AsLeft(*known);
  const PartitionedHlo result = ReshardAfresh(value, target);
  value.scope->Remember(result.node, value.tiling, value);
  if (is_shared) value.scope->Remember(value.node, target, result);
  return result;
}

PartitionedHlo ReshardAfresh(const PartitionedHlo& value, const Tiling& target,
                             bool may_replicate) {
  if (!value.base.is_array() || value.tiling == target) return value;
  Graph& graph = value.scope->graph();
  if (auto result = InManualGroups(value, target)) return *result;
  if (value.tiling.IsManual() || target.IsManual()) return With(value, value.node, target);
  if (value.tiling.IsTiled() && target.IsTiled() &&
      value.tiling.HasManual() != target.HasManual()) {
    graph.Fail("an operand is not manual on the same axes as its needed sharding");
    return With(value, value.node, target);
  }
  if (graph.IsScalarBroadcast(value.node)) {
    const NodeId scalar = graph.operands(value.node)[0];
    return With(value, graph.Broadcast(ShardShape(value.base, target), scalar, {}), target);
  }
  if (auto result = Directly(value, target)) return *result;
  if (!value.tiling.IsReplicated()) {
    if (!target.IsReplicated()) {
      if (auto result = ByDetour(value, target)) return *result;
      if (!may_replicate) return value;
      if (value.tiling.IsTiled() && target.IsTiled()) return Rematerialized(value, target);
    }
    return Reshard(Replicate(value), target);
  }
  if (target.IsMaximal()) return With(value, graph.Copy(value.node), target);
  return With(value, SliceReplicated(value, target), target);
}

NodeId SliceReplicated(const PartitionedHlo& replicated, const Tiling& target, NodeId fill) {
  Graph& graph = replicated.scope->graph();
  const Shape whole = graph.shape(replicated.node);
  const Shape padded = PaddedShape(whole, target);
  NodeId node = replicated.node;
  if (padded != whole) {
    uint64_t untouched = 0;
    for (int64_t i = 0; i < whole.rank() && i < 64; ++i) {
      if (whole.dim(i) == padded.dim(i)) untouched |= uint64_t{1} << i;
    }
    node = graph.PadHigh(padded, node, fill < 0 ? graph.Zero(whole) : fill, untouched);
  }
  const Shape part = ShardShape(whole, target);
  return graph.DynamicSlice(part, {node}, StartsOfTiles(*replicated.scope, target, part));
}

NodeId SliceForGroups(const PartitionedHlo& replicated, Ints dims, const Grouping& groups) {
  // The grid of the groups, with their sizes moved to the dimensions that they shard.
  Dims cuts(static_cast<size_t>(replicated.base.rank()), 1);
  for (int64_t i = 0; i < Size(dims); ++i) At(cuts, At(dims, i)) = At(groups.sizes, i);
  Dims grid(groups.sizes.begin(), groups.sizes.end()), order;
  grid.push_back(groups.devices.size());
  for (int64_t dim = 0; dim < Size(cuts); ++dim) {
    const auto at = std::find(dims.begin(), dims.end(), dim) - dims.begin();
    if (at < Size(dims)) order.push_back(at);
  }
  order.push_back(Size(dims));
  cuts.push_back(groups.devices.size());
  return SliceReplicated(replicated,
                         Tiling::Partial(groups.devices.Grid(grid).Transpose(order).Reshape(cuts)));
}

PartitionedHlo Masked(const PartitionedHlo& value, NodeId scalar, Ints skipped) {
  if (value.tiling.IsReplicated() || IsEven(value.base, value.tiling)) return value;
  Graph& graph = value.scope->graph();
  for (int64_t i = 0; i < value.base.rank(); ++i) {
    if (value.base.dim(i) % value.tiling.dim(i) == 0 || Contains(skipped, i)) continue;
    return With(value,
                graph.Add(Opcode::kSelect, graph.shape(value.node), {value.node, scalar},
                          InsideOf(value, skipped)),
                value.tiling);
  }
  return value;
}

PartitionedHlo MaskedWithZero(const PartitionedHlo& value, Ints skipped) {
  return Masked(value, value.scope->graph().Zero(value.base), skipped);
}

PartitionedHlo MaskedWithZeroOn(const PartitionedHlo& value, Ints dims) {
  return MaskedWithZero(value, AllExcept(value.base.rank(), dims));
}

bool CanPermute(const Tiling& from, const Tiling& to) {
  return from.IsTiled() && to.IsTiled() && from.dims() == to.dims() &&
         from.LastIsReplicated() == to.LastIsReplicated() && from.AsV1().grid() != to.AsV1().grid();
}

PartitionedHlo Permute(const PartitionedHlo& value, const Tiling& target) {
  Graph& graph = value.scope->graph();
  const uint64_t same = graph.node(value.node).same_dims;
  if (same != 0) {
    Dims dims;
    for (int64_t i = 0; i < value.base.rank() && i < 64; ++i) {
      if ((same >> i & 1) != 0) dims.push_back(i);
    }
    if (ReplicateOn(value.tiling, dims) == ReplicateOn(target, dims)) {
      return With(value, graph.Copy(value.node), target);
    }
  }
  return With(value, value.scope->PermuteTo(value.node, value.tiling, target), target);
}

}  // namespace tessera::sharding::partition
