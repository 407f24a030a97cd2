// Shards that move from one dimension to another: all-to-all.
//
// To move g shards from dimension j to dimension i, the shard is viewed as g parts along i. Part k
// goes to the k-th device of the group, and the received parts are concatenated along j. Several
// moves that pad nothing and share no dimension are one exchange, with their parts moved to the
// front. XLA: PartitionedHlo::ReshardWithAllToAll, TryMultipleSourceTargetDims.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "tessera/sharding/partition/reshard/reshard.h"
#include "tessera/sharding/partition/reshard/windows/window.h"

namespace tessera::sharding::partition {
namespace {

using DimsBySize = std::map<int64_t, Dims>;

void Remove(DimsBySize& dims, int64_t size, int64_t dim) {
  Dims& list = dims[size];
  list.erase(std::remove(list.begin(), list.end(), dim), list.end());
  if (list.empty()) dims.erase(size);
}

// The source of the shards of dimension i: a source dimension with the count that i needs.
std::optional<int64_t> SourceFor(const Tiling& to, const Dims& candidates, int64_t count,
                                 int64_t wanted) {
  const auto fits = [&](int64_t j) { return count == 1 ? to.dim(j) != 1 : to.dim(j) == count; };
  if (count != 1 && wanted % count != 0) return std::nullopt;
  int64_t last = candidates.front();
  for (int64_t j : candidates) {
    last = j;
    if (fits(j)) break;
  }
  return last;
}

// The tiling after g = count(source) / count(target) minor shards of each source dimension have
// become minor shards of its target.
Tiling AfterMoves(const Tiling& tiling, Ints sources, Ints targets) {
  TileAssignment grid = tiling.grid();
  for (int64_t m = 0; m < Size(sources); ++m) {
    const int64_t source = At(sources, m), target = At(targets, m);
    Dims split;
    int64_t source_at = 0, target_at = 0;
    for (int64_t i = 0; i < grid.num_dims(); ++i) {
      const int64_t cuts = At(grid.dims(), i);
      if (i == source) {
        split.push_back(At(grid.dims(), target));
        source_at = Size(split);
        split.push_back(cuts / At(grid.dims(), target));
      } else if (i == target) {
        split.push_back(cuts);
        target_at = Size(split);
        split.push_back(1);
      } else {
        split.push_back(cuts);
      }
    }
    Dims order = Iota(Size(split));
    std::swap(At(order, source_at), At(order, target_at));
    Dims merged(grid.dims().begin(), grid.dims().end());
    std::swap(At(merged, source), At(merged, target));
    grid = grid.Reshape(split).Transpose(order).Reshape(merged);
  }
  return Tiling::Like(grid, tiling);
}

// The permutation that moves the dimensions of `front` to the front.
Dims FrontFirst(int64_t rank, const Dims& front) {
  Dims order = front;
  for (int64_t i = 0; i < rank; ++i) {
    if (!Contains(front, i)) order.push_back(i);
  }
  return order;
}

Shape Reordered(const Shape& shape, Ints order) {
  Dims dims;
  for (int64_t i : order) dims.push_back(shape.dim(i));
  return Shape::Array(shape.element_type(), dims, std::nullopt);
}

Shape OfDims(const Shape& like, Ints dims) {
  return Shape::Array(like.element_type(), dims, std::nullopt);
}

NodeId TransposeBy(Graph& graph, NodeId node, Ints order) {
  return graph.Transpose(Reordered(graph.shape(node), order), node, order);
}

// Source shards / target shards is 0 if the target dimension has more shards; XLA crashes there.
bool CanGive(Graph& graph, Ints parts) {
  if (!Contains(parts, 0)) return true;
  graph.FailAsItCrashes("all-to-all, from a dimension to one that is cut finer");
  return false;
}

PartitionedHlo OneMove(const PartitionedHlo& value, const Tiling& target, const Moves& moves) {
  Graph& graph = value.scope->graph();
  const auto [source, to] = moves.front();
  const int64_t parts = value.tiling.dim(source) / value.tiling.dim(to);
  if (!CanGive(graph, {parts})) return value;
  const Tiling moved = AfterMoves(value.tiling, {source}, {to});

  std::vector<hlo::PaddingDimension> padding(static_cast<size_t>(value.base.rank()));
  At(padding, to).high = RoundUp(value.base.dim(to), moved.dim(to)) -
                         graph.shape(value.node).dim(to) * value.tiling.dim(to);
  const NodeId padded =
      *PadShards(value, padding, value.tiling, graph.Zero(value.base), value.base);
  const Shape padded_shape = graph.shape(padded);
  Dims split(padded_shape.dims().begin(), padded_shape.dims().end());
  At(split, to) /= parts;
  Insert(split, to, parts);
  const NodeId exchanged = value.scope->AllToAllAcross(
      graph.Reshape(OfDims(value.base, split), padded), moved, {to}, {parts}, to);
  // The parts precede the dimension that they extend.
  const int64_t longer = to < source ? source + 1 : source;
  Dims order;
  for (int64_t i = 0; i < Size(split); ++i) {
    if (i == to) continue;
    if (i == longer) order.push_back(to);
    order.push_back(i);
  }
  Shape whole = padded_shape;
  whole.set_dim(to, whole.dim(to) / parts);
  whole.set_dim(source, whole.dim(source) * parts);
  PartitionedHlo result = {
      graph.Reshape(OfDims(whole, whole.dims()), TransposeBy(graph, exchanged, order)), value.base,
      moved, value.scope};
  Shape wanted = value.base;
  wanted.set_dim(source, RoundUp(value.base.dim(source), moved.dim(source)));
  result.base.set_dim(source, graph.shape(value.node).dim(source) * value.tiling.dim(source));
  std::vector<hlo::SliceDimension> slice;
  for (int64_t size : wanted.dims()) slice.push_back({0, size, 1});
  result.node = SliceShards(result, slice, moved, value.base)->node;
  result.base = value.base;
  return AllToAll(result, target, Moves(moves.begin() + 1, moves.end()), false);
}

// The moves that can be done at once, and the others.
struct Selection {
  Dims sources, targets, parts;
  Moves others;
};

Selection Select(const PartitionedHlo& value, const Tiling& target, Moves moves) {
  std::stable_sort(moves.begin(), moves.end(),
                   [](const auto& a, const auto& b) { return a.second < b.second; });
  Selection out;
  Dims seen;
  for (const auto& [source, to] : moves) {
    const bool fits = !Contains(seen, source) && !Contains(seen, to) &&
                      value.base.dim(source) % value.tiling.dim(source) == 0 &&
                      value.base.dim(to) % target.dim(to) == 0;
    if (!fits) {
      out.others.emplace_back(source, to);
      continue;
    }
    out.sources.push_back(source);
    out.targets.push_back(to);
    out.parts.push_back(value.tiling.dim(source) / value.tiling.dim(to));
    seen.push_back(source);
    seen.push_back(to);
  }
  return out;
}

PartitionedHlo ManyMoves(const PartitionedHlo& value, const Tiling& target,
                         const Selection& moves) {
  Graph& graph = value.scope->graph();
  if (!CanGive(graph, moves.parts)) return value;
  const Shape shard = graph.shape(value.node);
  const int64_t count = Size(moves.sources);
  Dims split, parts_at(static_cast<size_t>(count));
  for (int64_t i = 0; i < shard.rank(); ++i) {
    const int64_t at =
        std::find(moves.targets.begin(), moves.targets.end(), i) - moves.targets.begin();
    if (at == count) {
      split.push_back(shard.dim(i));
      continue;
    }
    At(parts_at, at) = Size(split);
    split.push_back(At(moves.parts, at));
    split.push_back(shard.dim(i) / At(moves.parts, at));
  }
  NodeId node = graph.Reshape(OfDims(shard, split), value.node);
  node = TransposeBy(graph, node, FrontFirst(Size(split), parts_at));
  const Shape fronted = graph.shape(node);
  Dims merged = {Product(moves.parts)};
  for (int64_t i = count; i < fronted.rank(); ++i) merged.push_back(fronted.dim(i));
  const Tiling moved = AfterMoves(value.tiling, moves.sources, moves.targets);
  node = graph.Reshape(OfDims(shard, merged), node);
  node = value.scope->AllToAllAcross(node, moved, moves.targets, moves.parts, 0);
  node = graph.Reshape(fronted, node);
  // Each list of parts precedes its source dimension.
  Dims order;
  for (int64_t i = 0; i < value.base.rank(); ++i) {
    const int64_t at =
        std::find(moves.sources.begin(), moves.sources.end(), i) - moves.sources.begin();
    if (at < count) order.push_back(at);
    order.push_back(count + i);
  }
  node = TransposeBy(graph, node, order);
  node = graph.Reshape(ShardShape(value.base, moved), node);
  return AllToAll({node, value.base, moved, value.scope}, target, moves.others, false);
}

}  // namespace

// [2,4,1] to [1,4,2]: dimension 0 gives its two parts to dimension 2. Dimensions change by their numbers
// of parts, few first; a source that has given to another one stands in its place.
std::optional<Moves> MovesBetween(const Tiling& from, const Tiling& to) {
  if (!from.IsTiled() || !to.IsTiled() || from.num_dims() != to.num_dims() ||
      from.tiles() != to.tiles()) {
    return std::nullopt;
  }
  // XLA counts replicas as a dimension in V1 form only.
  if (from.IsNamed() != to.IsNamed() && from.LastIsReplicated()) return std::nullopt;
  DimsBySize source, target;
  for (int64_t i = 0; i < from.num_dims(); ++i) {
    if (from.dim(i) == to.dim(i)) continue;
    source[from.dim(i)].push_back(i);
    target[to.dim(i)].push_back(i);
  }
  if (source.empty() || source.size() != target.size()) return std::nullopt;
  for (const auto& [size, dims] : source) {
    const auto same = target.find(size);
    if (same == target.end() || same->second.size() != dims.size()) return std::nullopt;
  }
  Moves moves;
  while (!source.empty()) {
    const int64_t count = source.begin()->first;
    const int64_t i = source.begin()->second.back();
    const int64_t wanted = to.dim(i);
    if (wanted == count) {
      Remove(source, count, i);
      Remove(target, count, i);
      continue;
    }
    const auto candidates = source.find(wanted);
    if (candidates == source.end()) return std::nullopt;
    const std::optional<int64_t> j = SourceFor(to, candidates->second, count, wanted);
    if (!j.has_value()) return std::nullopt;
    moves.emplace_back(*j, i);
    Remove(target, wanted, i);
    source.begin()->second.back() = *j;
    Remove(source, wanted, *j);
  }
  return moves;
}

PartitionedHlo AllToAll(const PartitionedHlo& value, const Tiling& target, const Moves& moves,
                        bool several_at_once) {
  if (value.tiling == target) return value;
  if (moves.empty()) return Permute(value, target);
  if (!several_at_once) return OneMove(value, target, moves);
  const Selection selection = Select(value, target, moves);
  if (selection.sources.size() < 2) return OneMove(value, target, moves);
  return ManyMoves(value, target, selection);
}

}  // namespace tessera::sharding::partition
