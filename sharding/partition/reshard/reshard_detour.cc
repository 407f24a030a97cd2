// Reshards in two steps: a dimension viewed as two, of which one is exchanged; replicas swapped
// with a dimension; a dimension replicated first. XLA: PartitionedHlo::TryComplexReshardHandling,
// ReshardPartialReplicateWithAllToAll.

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/partition/reshard/reshard.h"
#include "tessera/sharding/partition/tiling/mesh_axes.h"

namespace tessera::sharding::partition {
namespace {

struct Split {
  Tiling from, to;
  int64_t dim = 0;
};

Split SplitBoth(const Tiling& from, const Tiling& to, int64_t dim, int64_t major) {
  return {SplitDim(from, dim, major), SplitDim(to, dim, major), dim};
}

int64_t ReplicaSize(const Tiling& tiling) {
  return tiling.HasReplicas() ? tiling.dim(tiling.data_rank()) : 0;
}

// A dimension that both sides shard, one a multiple of the other, viewed as two.
std::optional<Split> FindSplit(const Shape& base, const Tiling& from, const Tiling& to) {
  if (from.data_rank() != to.data_rank() || ReplicaSize(from) != ReplicaSize(to)) {
    return std::nullopt;
  }
  Dims one_is_1, both;
  for (int64_t i = 0; i < to.data_rank(); ++i) {
    const int64_t least = std::min(from.dim(i), to.dim(i)), most = std::max(from.dim(i), to.dim(i));
    if (least == most) continue;
    if (least == 1) {
      one_is_1.push_back(i);
    } else if (most % least == 0 && RoundUp(base.dim(i), least) % most == 0) {
      both.push_back(i);
    }
  }
  for (int64_t i : both) {
    for (int64_t j : one_is_1) {
      if (from.dim(i) * from.dim(j) != to.dim(i) * to.dim(j)) continue;
      return SplitBoth(from, to, i, std::min(from.dim(i), to.dim(i)));
    }
  }
  for (int64_t i : both) {
    if (from.dim(i) > to.dim(i)) return SplitBoth(from, to, i, to.dim(i));
  }
  return std::nullopt;
}

Shape WithSplit(const Shape& shape, int64_t dim, int64_t minor) {
  Dims dims(shape.dims().begin(), shape.dims().end());
  At(dims, dim) /= minor;
  Insert(dims, dim + 1, minor);
  return Shape::Array(shape.element_type(), dims, std::nullopt);
}

Shape WithMerged(const Shape& shape, int64_t dim) {
  Dims dims(shape.dims().begin(), shape.dims().end());
  At(dims, dim) *= At(dims, dim + 1);
  Erase(dims, dim + 1);
  return Shape::Array(shape.element_type(), dims, std::nullopt);
}

// XLA crashes, for example, if 'y' of three and 'x' of two become two dimensions, the first of two
// shards.
bool Crashes(const Tiling& tiling, const Split& split, Graph* graph) {
  const int64_t major = split.from.dim(split.dim);
  if (!tiling.IsNamed() || AxesSplitAt(tiling, split.dim, major)) return false;
  graph->FailAsItCrashes(absl::StrCat(
      "reshard: dimension ", split.dim, " is to be cut in ", major,
      " first, which the axes that cut it are not; use axes of sizes that divide each other, or "
      "reshard in two steps"));
  return true;
}

std::optional<PartitionedHlo> ThroughSplit(const PartitionedHlo& value, const Split& split,
                                           const Tiling& target) {
  Graph& graph = value.scope->graph();
  const int64_t size = graph.shape(value.node).dim(split.dim);
  if (size == 0) {
    graph.FailAsItCrashes(absl::StrCat("reshard: dimension ", split.dim,
                                       ", which has no elements, is to be in another number of "
                                       "shards; shard another dimension"));
    return std::nullopt;
  }
  const PartitionedHlo view = {
      graph.Reshape(WithSplit(graph.shape(value.node), split.dim, size), value.node),
      WithSplit(value.base, split.dim, size * split.from.dim(split.dim + 1)), split.from,
      value.scope};
  const PartitionedHlo moved = ReshardAfresh(view, split.to, /*may_replicate=*/false);
  if (moved.tiling != split.to) return std::nullopt;
  PartitionedHlo back = {graph.Reshape(WithMerged(graph.shape(moved.node), split.dim), moved.node),
                         WithMerged(moved.base, split.dim), MergeDim(moved.tiling, split.dim),
                         moved.scope};
  if (back.tiling != target) {
    back = ReshardAfresh(back, target, /*may_replicate=*/false);
    if (back.tiling != target) return std::nullopt;
  }
  back.base = value.base;
  return back;
}

std::optional<PartitionedHlo> Then(const PartitionedHlo& value, const Tiling& target) {
  PartitionedHlo result = ReshardAfresh(value, target, /*may_replicate=*/false);
  if (result.tiling != target) return std::nullopt;
  return result;
}

// The dimension whose replication gives as many replicas as the target has.
std::optional<Tiling> ReplicatedFirst(const Tiling& from, const Tiling& to) {
  if (!to.LastIsReplicated()) return std::nullopt;
  for (int64_t i = 0; i < from.data_rank(); ++i) {
    if (from.dim(i) == 1 || from.dim(i) * from.replicas() != to.replicas()) continue;
    return ReplicateOn(from, {i});
  }
  return std::nullopt;
}

std::optional<Tiling> ReplicasMadeCuts(const Tiling& from, const Tiling& to) {
  for (int64_t i = 0; i < to.num_dims(); ++i) {
    if (from.dim(i) != 1 || to.dim(i) == 1 || to.dim(i) % from.replicas() != 0) continue;
    Dims order = Iota(from.num_dims());
    std::swap(At(order, i), order.back());
    return Transpose(from, order);
  }
  return std::nullopt;
}

}  // namespace

std::optional<PartitionedHlo> SplitAndReshard(const PartitionedHlo& value, const Tiling& target) {
  if (value.tiling.IsNamed() != target.IsNamed()) {
    // Both in V1 form.
    const PartitionedHlo is_v1 = {value.node, value.base, value.tiling.AsV1(), value.scope};
    return SplitAndReshard(is_v1, target.AsV1());
  }
  if (const auto split = FindSplit(value.base, value.tiling, target)) {
    Graph& graph = value.scope->graph();
    if (Crashes(value.tiling, *split, &graph) || Crashes(target, *split, &graph)) {
      return std::nullopt;
    }
    return ThroughSplit(value, *split, target);
  }
  if (const auto step = ReplicatedFirst(value.tiling, target)) {
    return Then(Reshard(value, *step), target);
  }
  if (!value.tiling.LastIsReplicated() || target.LastIsReplicated()) return std::nullopt;
  if (const auto step = ReplicasMadeCuts(value.tiling, target)) {
    return Then(Reshard(value, *step), target);
  }
  return std::nullopt;
}

// [1,a,b,.. | r] and [a,b,..] with the same devices: an all-to-all to the tiling whose last sharded
// dimension is the replicas, then a reshard from there.
std::optional<PartitionedHlo> SwapReplicas(const PartitionedHlo& value, const Tiling& target) {
  const bool from_replicas = value.tiling.LastIsReplicated();
  const Tiling& partial = from_replicas ? value.tiling : target;
  const Tiling& tiled = from_replicas ? target : value.tiling;
  if (!partial.LastIsReplicated() || !tiled.IsTiled() || tiled.LastIsReplicated()) {
    return std::nullopt;
  }
  if (tiled.num_dims() + 1 != partial.num_dims() || partial.dim(0) != 1) return std::nullopt;
  int64_t last = -1;
  for (int64_t i = tiled.num_dims(); i-- > 0;) {
    if (tiled.dim(i) > 1 && last < 0) {
      if (tiled.dim(i) != partial.dims().back()) return std::nullopt;
      last = i;
    }
    if (tiled.dim(i) != partial.dim(i + 1)) return std::nullopt;
  }
  // In V1 form the devices of each replica are in order; in a named sharding they need not be.
  const TileAssignment devices = partial.AsV1().grid().Reshape(tiled.dims());
  if (last < 0 || devices != tiled.grid()) return std::nullopt;
  Dims dims(tiled.dims().begin(), tiled.dims().end());
  At(dims, last) = 1;
  dims.push_back(partial.dims().back());
  const Tiling step = Tiling::Partial(tiled.grid().Reshape(dims));
  // Both ends of the all-to-all have the form of its source.
  if (from_replicas) {
    const auto moves = MovesBetween(value.tiling.AsV1(), step);
    if (!moves.has_value()) return std::nullopt;
    return Reshard(AllToAll(value, Tiling::Like(step.grid(), value.tiling), *moves), target);
  }
  const PartitionedHlo middle = Reshard(value, step);
  const auto moves = MovesBetween(step, target.AsV1());
  if (!moves.has_value()) return std::nullopt;
  return AllToAll(middle, target.AsV1(), *moves);
}

}  // namespace tessera::sharding::partition
