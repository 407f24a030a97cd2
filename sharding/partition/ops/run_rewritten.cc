// Rotations and pads in the place of the rewrites that rewrites.cc finds.
//
// A rotation by r moves two parts of each shard of size s: the last r mod s elements by r / s + 1 shards, the
// others by r / s. If the last shard ends with padding, a second rotation brings what passes the end.
//
// Tested by partitioner_test.cc (UnevenRotation, PadWithWrap).

#include <utility>
#include <vector>

#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/ops/rewrites.h"
#include "tessera/sharding/partition/reshard/reshard.h"
#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/reshard/windows/window.h"

namespace tessera::sharding::partition {
namespace {

// What arrives when everything moves `distance` shards on, cyclically among the first `count`.
NodeId ShiftCyclically(const PartitionedHlo& value, NodeId part, int64_t dim, int64_t count,
                       int64_t distance) {
  if (distance == 0) return part;
  const int64_t cuts = value.tiling.dim(dim);
  const std::vector<int64_t> devices = value.tiling.AsV1().grid().Devices();
  int64_t stride = 1;
  for (int64_t i = dim + 1; i < value.tiling.num_dims(); ++i) stride *= value.tiling.dim(i);
  DeviceGroupScope::Pairs pairs;
  for (int64_t i = 0; i < Size(devices); ++i) {
    const int64_t at = i / stride % cuts;
    if (at >= count) continue;
    const int64_t target = i + ((at + distance) % count - at) * stride;
    pairs.emplace_back(At(devices, i), At(devices, target));
  }
  return value.scope->Permute(part, pairs);
}

// Two parts of every shard: elements that stay in one shard after the rotation, and elements that
// cross a boundary.
NodeId RotateShards(const PartitionedHlo& input, int64_t dim, int64_t count, int64_t amount) {
  Graph& graph = input.scope->graph();
  const int64_t shard = graph.shape(input.node).dim(dim);
  std::vector<NodeId> parts;
  const auto add = [&](int64_t start, int64_t size, int64_t distance) {
    if (size == 0) return;
    Shape shape = graph.shape(input.node);
    shape.set_dim(dim, size);
    const NodeId part = size == shard ? input.node : graph.SliceFrom(shape, input.node, dim, start);
    parts.push_back(ShiftCyclically(input, part, dim, count, distance));
  };
  const int64_t crossing = amount % shard;
  add(shard - crossing, crossing, amount / shard + 1);
  add(0, shard - crossing, amount / shard);
  return graph.Concatenate(graph.shape(input.node), parts, dim);
}

// `inside` where the index along `dim` is in the range, else `outside`.
NodeId Joined(const PartitionedHlo& like, NodeId inside, NodeId outside, int64_t dim,
              std::pair<int64_t, int64_t> range) {
  Graph& graph = like.scope->graph();
  const Shape& shape = graph.shape(like.node);
  const RecipeId recipe = graph.Keep([&] {
    const int64_t size = shape.dim(dim);
    const TableId start = StartAlong(*like.scope, like.tiling, dim, size);
    return recipe::InRange{{{dim, start, range.first, range.second}}};
  });
  return graph.Add(Opcode::kSelect, shape, {inside, outside}, recipe);
}

// To the right by `amount`. If the shards end with padding, elements that pass the end are also
// rotated by the padding, and each element comes from one of the two rotations. Shards that hold
// only padding take no part.
NodeId Rotate(const PartitionedHlo& input, int64_t dim, int64_t amount) {
  Graph& graph = input.scope->graph();
  const int64_t shard = graph.shape(input.node).dim(dim);
  const int64_t count = CeilDiv(input.base.dim(dim), shard);
  const int64_t padding = count * shard - input.base.dim(dim);
  const NodeId rotated = RotateShards(input, dim, count, amount);
  if (padding == 0) return rotated;
  const NodeId over = RotateShards(input, dim, count, amount + padding);
  return Joined(input, over, rotated, dim, {0, amount});
}

absl::StatusOr<NodeId> Rotation(Visit& v, const Rewrite& rewrite) {
  return Rotate(Reshard(v.operand(0), v.tiling()), rewrite.dim, rewrite.amount);
}

// A pad whose two ends come from a rotation.
absl::StatusOr<NodeId> PadWithWrap(Visit& v, const Rewrite& rewrite) {
  const PartitionedHlo whole = v.operand(0);
  const auto padded =
      PadShards(whole, rewrite.padding, v.tiling(), v.graph().Zero(whole.base), *v.base);
  if (!padded.has_value()) {
    return absl::UnimplementedError("this pad that wraps around is not described");
  }
  const PartitionedHlo input = v.Result(*padded, v.tiling());
  const NodeId low = Rotate(input, rewrite.dim, v.base->dim(rewrite.dim) - rewrite.amount);
  const NodeId high = Rotate(input, rewrite.dim, rewrite.amount);
  const int64_t begin = At(rewrite.padding, rewrite.dim).low;
  const int64_t end = begin + rewrite.amount;
  const NodeId inner = Joined(input, *padded, high, rewrite.dim, {0, end});
  return Joined(input, low, inner, rewrite.dim, {0, begin});
}

absl::StatusOr<NodeId> Pad(Visit& v, const Rewrite& rewrite) {
  return PadOrReplicate(v, v.operand(0), rewrite.padding, Replicate(v.operand(1)).node);
}

}  // namespace

absl::StatusOr<NodeId> RunRewritten(Visit& v, const Rewrite& rewrite) {
  switch (rewrite.kind) {
    case Rewrite::Kind::kPad:
      return Pad(v, rewrite);
    case Rewrite::Kind::kRotate:
      return Rotation(v, rewrite);
    case Rewrite::Kind::kPadWithWrap:
      break;
  }
  return PadWithWrap(v, rewrite);
}

}  // namespace tessera::sharding::partition
