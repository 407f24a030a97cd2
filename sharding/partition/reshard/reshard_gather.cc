// To and from replicas.
//
// How a dimension is gathered depends on its padding. If the first shard holds all data, it sends
// them to all devices (an all-reduce with zeros). If at most half of the shards hold data, each
// writes its part into zeros, and an all-reduce adds them. Else an all-gather. XLA:
// PartitionedHlo::ReplicatePartial, ReshardToPartialReplicateWithAllGather,
// ReshardFromPartialReplicateWithDynamicSlice.

#include <optional>

#include "tessera/sharding/partition/reshard/reshard.h"
#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/reshard/windows/halo.h"
#include "tessera/sharding/partition/tiling/grouping.h"

namespace tessera::sharding::partition {
namespace {

// The shard of one device, on all devices of the scope.
NodeId FromOneDevice(const PartitionedHlo& value, int64_t device) {
  Graph& graph = value.scope->graph();
  const Shape& shape = graph.shape(value.node);
  const RecipeId recipe = graph.Keep([&] { return recipe::OnDevices{IdIn(*value.scope), device}; });
  const NodeId chosen = graph.Elementwise(Opcode::kSelect, shape, {value.node}, recipe);
  return value.scope->AllReduce(chosen, SumOf(shape));
}

struct DimsByWay {
  Dims first, sum, gather;
};

DimsByWay SortDims(const PartitionedHlo& value, Ints dims) {
  DimsByWay out;
  const Shape& shard = value.scope->graph().shape(value.node);
  for (int64_t i : dims) {
    const int64_t cuts = value.tiling.dim(i);
    if (cuts == 1) continue;
    if (value.base.dim(i) == shard.dim(i)) {
      out.first.push_back(i);
    } else if (value.base.dim(i) <= cuts / 2) {
      out.sum.push_back(i);
    } else {
      out.gather.push_back(i);
    }
  }
  return out;
}

// A tiling with the same tiles that `to` can be sliced from or gathered to without moving between
// devices: `to` itself, or the replicas of `from` sharded by the missing factors.
std::optional<Tiling> CompatibleOfOneForm(const Tiling& from, const Tiling& to) {
  const int64_t rank = from.data_rank();
  if (rank != to.data_rank()) return std::nullopt;
  Dims factors, factor_at(static_cast<size_t>(rank), -1), sizes;
  for (int64_t i = 0; i < rank; ++i) {
    if (to.dim(i) % from.dim(i) != 0) return std::nullopt;
    sizes.push_back(to.dim(i));
    if (to.dim(i) == from.dim(i)) continue;
    At(factor_at, i) = Size(factors);
    factors.push_back(to.dim(i) / from.dim(i));
  }
  if (Refines(Shape::Array(layout::ElementType::kF32, sizes), to, from)) return to;
  Dims dims(from.dims().begin(), from.dims().begin() + rank);
  dims.insert(dims.end(), factors.begin(), factors.end());
  Dims order;
  for (int64_t i = 0; i < rank; ++i) {
    order.push_back(i);
    if (At(factor_at, i) >= 0) order.push_back(rank + At(factor_at, i));
  }
  if (to.LastIsReplicated()) {
    order.push_back(Size(dims));
    dims.push_back(to.dims().back());
  }
  return Tiling::Like(from.grid().Reshape(dims).Transpose(order).Reshape(to.dims()), to);
}

// Returns `to` unchanged if it is compatible, else a compatible tiling in V1 form. If only one of the
// two is named, both are converted to V1 form first.
std::optional<Tiling> FindCompatible(const Tiling& from, const Tiling& to) {
  if (!from.LastIsReplicated() || from.num_devices() != to.num_devices()) return std::nullopt;
  if (from.IsNamed() != to.IsNamed()) return CompatibleOfOneForm(from.AsV1(), to.AsV1());
  const auto found = CompatibleOfOneForm(from, to);
  if (!found.has_value() || *found == to) return found;
  return found->AsV1();
}

std::optional<Tiling> Compatible(Graph& graph, const Tiling& from, const Tiling& to) {
  const uint64_t words[] = {graph.reshard_cache().NumberOf(from),
                            graph.reshard_cache().NumberOf(to)};
  return graph.known_tilings().compatible.Of(words, [&] { return FindCompatible(from, to); });
}

// Where a shard belongs along `dims`, whose shards are of one element; some have none.
RecipeId PlaceOf(const PartitionedHlo& value, Ints dims) {
  return value.scope->graph().Keep([&] {
    const Shape& shard = value.scope->graph().shape(value.node);
    recipe::PlaceInZeros out;
    for (int64_t dim : dims) {
      const int64_t size = shard.dim(dim);
      const TableId start = StartAlong(*value.scope, value.tiling, dim, size);
      out.within.ranges.push_back({dim, start, 0, value.base.dim(dim)});
    }
    return out;
  });
}

}  // namespace

PartitionedHlo Replicate(const PartitionedHlo& value) {
  if (const auto known = value.scope->Reshared(value.node, Tiling::Replicated())) return *known;
  if (value.tiling.IsReplicated() || value.tiling.IsManual()) return value;
  const NodeId node = value.tiling.IsSingle() ? FromOneDevice(value, value.tiling.device())
                                              : ReplicateDims(value, Iota(value.base.rank()));
  const PartitionedHlo result = {node, value.base, Tiling::Replicated(), value.scope};
  value.scope->Remember(node, value.tiling, value);
  if (value.scope->graph().options().shares_gathers) {
    value.scope->Remember(value.node, Tiling::Replicated(), result);
  }
  return result;
}

NodeId ReplicateDims(const PartitionedHlo& value, Ints dims) {
  Graph& graph = value.scope->graph();
  const DimsByWay by_way = SortDims(value, dims);
  Shape gathered = graph.shape(value.node);
  for (int64_t i : by_way.gather) gathered.set_dim(i, value.base.dim(i));
  Shape whole = gathered;
  for (int64_t i : by_way.sum) whole.set_dim(i, value.base.dim(i));
  NodeId node = value.node;
  if (!by_way.first.empty()) {
    const Grouping groups = GroupOnAllExcept(value.tiling, by_way.first);
    node = FromOneDevice({node, value.base, {}, &value.scope->PerGroup(groups.devices)}, 0);
  }
  if (by_way.gather.empty() && by_way.sum.empty()) return node;
  node = value.scope->AllGatherOver(node, value.tiling, by_way.gather);
  if (graph.shape(node).dims() != gathered.dims()) {
    node = graph.SliceFirst(gathered, node);
  }
  if (by_way.sum.empty()) return node;
  const NodeId placed =
      graph.Add(Opcode::kDynamicUpdateSlice, whole, {node}, PlaceOf(value, by_way.sum));
  return value.scope->AllReduceOver(placed, value.tiling, by_way.sum, SumOf(whole));
}

std::optional<PartitionedHlo> GatherToReplicas(const PartitionedHlo& value, const Tiling& target) {
  if (!target.LastIsReplicated()) return std::nullopt;
  const std::optional<Tiling> compatible = Compatible(value.scope->graph(), target, value.tiling);
  if (!compatible.has_value()) return std::nullopt;
  PartitionedHlo source = value;
  if (CanPermute(value.tiling, *compatible)) source = Permute(value, *compatible);
  Dims dims, keep;
  for (int64_t i = 0; i < value.base.rank(); ++i) {
    const int64_t factor = compatible->dim(i) / target.dim(i);
    if (factor <= 1) continue;
    dims.push_back(i);
    keep.push_back(factor);
  }
  PartitionedHlo part = source;
  part.tiling = *compatible;
  part.node = AlignShardsForGather(part, target, dims);
  const Grouping& groups = value.scope->graph().GroupsOn(*compatible, dims, keep);
  part.base = ShardShape(value.base, target);
  part.tiling = groups.inner;
  part.scope = &value.scope->PerGroup(groups.devices);
  return PartitionedHlo{ReplicateDims(part, dims), value.base, target, value.scope};
}

std::optional<PartitionedHlo> SliceReplicas(const PartitionedHlo& value, const Tiling& target) {
  const std::optional<Tiling> compatible = Compatible(value.scope->graph(), value.tiling, target);
  if (!compatible.has_value()) return std::nullopt;
  Dims expanded;
  for (int64_t i = 0; i < value.base.rank(); ++i) {
    if (compatible->dim(i) > value.tiling.dim(i)) expanded.push_back(i);
  }
  const NodeId padded = PadShardsForSlice(value, *compatible, expanded);
  Graph& graph = value.scope->graph();
  const Shape part = ShardShape(value.base, *compatible);
  const RecipeId starts =
      StartsInTiles(*value.scope, *compatible, value.tiling, part, graph.shape(padded));
  const PartitionedHlo sliced = {graph.DynamicSlice(part, {padded}, starts), value.base,
                                 *compatible, value.scope};
  return CanPermute(*compatible, target) ? Permute(sliced, target) : sliced;
}

}  // namespace tessera::sharding::partition
