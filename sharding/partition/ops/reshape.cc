// Reshape. If each shard can be reshaped alone, it is. Else dimensions whose shards pass through
// the reshape define device groups; inside a group, elements move between neighbours or are
// replicated. XLA: SpmdPartitioningVisitor::HandleReshape.

#include <optional>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/reshard/windows/window.h"

namespace tessera::sharding::partition {
namespace {

// The tilings before and after a local reshape.
using Pair = std::pair<Tiling, Tiling>;

std::vector<Pair> LocalWays(const Shape& from, const Shape& to, const Tiling& operand,
                            const Tiling& result) {
  std::vector<Pair> out;
  const auto add = [&out](const Tiling& before, const Tiling& after) {
    if (before.tiles() == after.tiles()) out.emplace_back(before, after);
  };
  if (const auto before = ThroughReshape(to, from, result)) add(*before, result);
  if (const auto after = ThroughReshape(from, to, operand)) {
    if (const auto before = ThroughReshape(to, from, *after)) add(*before, *after);
  }
  return out;
}

NodeId Locally(Visit& v, const PartitionedHlo& operand, const std::vector<Pair>& ways) {
  Graph& graph = v.graph();
  const auto& [before, after] = ways.front();
  const NodeId input = Reshard(operand, before).node;
  const PartitionedHlo shards = v.Result(graph.Reshape(ShardShape(*v.base, after), input), after);
  const PartitionedHlo result = Reshard(shards, after.IsNamed() ? v.tiling() : v.tiling().AsV1());
  if (ways.size() == 2 && ways[1].first == operand.tiling && ways[1].second != v.tiling()) {
    // A user that wants the other tiling may have it for free.
    const Tiling& other = ways[1].second;
    const NodeId node = graph.Reshape(ShardShape(*v.base, other), operand.node);
    v.scope->Remember(result.node, other, v.Result(node, other));
  }
  return result.node;
}

NodeId Replicated(const PartitionedHlo& operand, const Tiling& target, const Shape& base) {
  const PartitionedHlo whole = Replicate(operand);
  const NodeId node = operand.scope->graph().Reshape(base, whole.node);
  return Reshard({node, base, Tiling::Replicated(), operand.scope}, target).node;
}

// The only sharded dimension.
std::optional<int64_t> OnlyCutDim(const Tiling& tiling) {
  std::optional<int64_t> found;
  if (!tiling.IsTiled()) return std::nullopt;
  for (int64_t i = 0; i < tiling.data_rank(); ++i) {
    if (tiling.dim(i) == 1) continue;
    if (found.has_value()) return std::nullopt;
    found = i;
  }
  return found;
}

int64_t MajorSize(const Shape& shape, int64_t dim) {
  return Product(shape.dims().first(static_cast<size_t>(dim)));
}

hlo::Window PadHigh(int64_t rank, int64_t dim, int64_t amount) {
  hlo::Window window(static_cast<size_t>(rank));
  At(window, dim).padding_high = amount;
  return window;
}

// Shards of a dimension that is split or merged, their borders moved by exchanging halos.
std::optional<NodeId> Shifted(PartitionedHlo operand, const Tiling& target, const Shape& base) {
  if (operand.tiling.tiles() != target.tiles()) return std::nullopt;
  const std::optional<int64_t> in = OnlyCutDim(operand.tiling), out = OnlyCutDim(target);
  if (!in.has_value() || !out.has_value()) return std::nullopt;
  if (MajorSize(operand.base, *in) != MajorSize(base, *out)) return std::nullopt;
  Graph& graph = operand.scope->graph();
  operand = Reshard(operand, Tiling::Like(target.grid().Reshape(operand.tiling.dims()), target));
  const int64_t in_size = operand.base.dim(*in), out_size = base.dim(*out);
  const int64_t cuts = target.tiles();
  const WindowMask no_mask = {/*mask=*/false, /*mask_pieces=*/false};
  const Shape shard = ShardShape(base, target);
  if (in_size % out_size == 0) {
    const int64_t factor = in_size / out_size;
    const auto moved = ReshardForWindow(
        operand, PadHigh(operand.base.rank(), *in, shard.dim(*out) * factor * cuts - in_size),
        operand.tiling, graph.Zero(base), no_mask);
    if (!moved.has_value()) return std::nullopt;
    return graph.Reshape(shard, moved->input);
  }
  if (out_size % in_size != 0) return std::nullopt;
  Shape merged = shard;
  merged.set_dim(*out, graph.shape(operand.node).dim(*in) * (out_size / in_size));
  PartitionedHlo view = {graph.Reshape(merged, operand.node), merged, target, operand.scope};
  view.base.set_dim(*out, merged.dim(*out) * cuts);
  const auto moved =
      ReshardForWindow(view, PadHigh(base.rank(), *out, out_size - view.base.dim(*out)), target,
                       graph.Zero(base), no_mask);
  if (!moved.has_value()) return std::nullopt;
  return moved->input;
}

NodeId InGroups(const PartitionedHlo& operand, const Tiling& target, const Shape& base);

// The dimensions whose shards pass through, and the rest.
struct Through {
  Dims in, out;
  Shape inner_in, inner_out;
  bool target_agrees = true;  // the target cuts these dimensions alike, and others too
};

Through DimsThrough(const PartitionedHlo& operand, const Tiling& target, const Shape& base,
                    const Tiling& forth, const Tiling& back) {
  Through t;
  t.inner_in = operand.base;
  t.inner_out = base;
  t.target_agrees = target.tiles() > forth.tiles();
  const Shape& shard = operand.scope->graph().shape(operand.node);
  for (int64_t i = 0; i < operand.base.rank(); ++i) {
    if (back.dim(i) == 1) continue;
    t.in.push_back(i);
    t.inner_in.set_dim(i, shard.dim(i));
  }
  for (int64_t i = 0; i < base.rank(); ++i) {
    if (forth.dim(i) == 1) continue;
    t.out.push_back(i);
    t.inner_out.set_dim(i, CeilDiv(base.dim(i), forth.dim(i)));
    t.target_agrees &= forth.dim(i) == target.dim(i);
  }
  return t;
}

NodeId InGroups(const PartitionedHlo& operand, const Tiling& target, const Shape& base) {
  const Tiling forth = PartlyThroughReshape(operand.base, base, operand.tiling);
  const auto back = forth.IsTiled() ? ThroughReshape(base, operand.base, forth) : std::nullopt;
  if (!back.has_value() || !back->IsTiled()) {
    if (const auto node = Shifted(operand, target, base)) return *node;
    return Replicated(operand, target, base);
  }
  const Through t = DimsThrough(operand, target, base, forth, *back);
  const Grouping in = GroupOn(operand.tiling, t.in);
  Grouping out = GroupOn(t.target_agrees ? target : forth, t.out);
  if (t.target_agrees) out = Align(out, in);
  const PartitionedHlo inner = {operand.scope->graph().Copy(operand.node), t.inner_in, in.inner,
                                &operand.scope->PerGroup(in.devices)};
  const NodeId node = InGroups(inner, out.inner, t.inner_out);
  return Reshard({node, base, Ungroup(out), operand.scope}, target).node;
}

}  // namespace

absl::StatusOr<NodeId> PartitionReshape(Visit& v) {
  const PartitionedHlo operand = v.operand(0);
  if (v.tiling().IsMaximal()) {
    return v.graph().Reshape(*v.base, Reshard(operand, v.tiling()).node);
  }
  const auto ways = LocalWays(operand.base, *v.base, operand.tiling, v.tiling());
  if (!ways.empty()) return Locally(v, operand, ways);
  // A result assembled from groups is in V1 form.
  return InGroups(operand, v.tiling().AsV1(), *v.base);
}

}  // namespace tessera::sharding::partition
