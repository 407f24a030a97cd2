// Idea. A rewrite is found in the module before it is partitioned, and runs where its last instruction is
// visited. For an array x of n elements along a sharded dimension:
//
//   slice(pad(x))                            one pad, which may cut x
//   concatenate(x[k:], x[:k])                x rotated by n - k to the right
//   concatenate(x[n-a:], x, x[:b])           a pad whose two ends come from two rotations
//
// A rotation by r moves two parts of each shard of size s: the last r mod s elements by r / s + 1 shards, the
// others by r / s. If the last shard ends with padding, a second rotation brings what passes the end.
//
// Cost: linear in the slices and concatenations of the module. Tested by partitioner_test.cc (UnevenRotation,
// PadWithWrap).
#include "tessera/sharding/partition/ops/rewrites.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/reshard/reshard.h"
#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/reshard/windows/window.h"

namespace tessera::sharding::partition {
namespace {

class Finder {
 public:
  Finder(const ModuleView& view, const InstructionLeaves& leaves)
      : module_(view.module()), view_(view), leaves_(leaves) {}

  Rewrites Run(absl::Span<const hlo::InstructionId> slices_and_concatenations) {
    for (hlo::InstructionId id : slices_and_concatenations) {
      if (leaves_[id].empty() || !leaves_[id].front().IsTiled()) continue;
      if (opcode(id) == Opcode::kSlice) {
        TrySliceOfPad(id);
      } else {
        TryRotation(id);
        TryPadWithWrap(id);
      }
    }
    return std::move(out_);
  }

 private:
  Opcode opcode(hlo::InstructionId id) const { return module_.instruction(id).opcode; }

  size_t Uses(hlo::InstructionId id) const { return view_.users(id).size(); }

  // Of most concatenations this is all that is asked.
  bool AreSlices(hlo::InstructionId a, hlo::InstructionId b) const {
    return opcode(view_.BehindCopies(a)) == Opcode::kSlice &&
           opcode(view_.BehindCopies(b)) == Opcode::kSlice;
  }

  // The slice or pad behind copies with one user each; nothing if it has other users itself.
  std::optional<hlo::InstructionId> SingleUse(hlo::InstructionId id, Opcode wanted) {
    if (opcode(view_.BehindCopies(id)) != wanted) return std::nullopt;
    while (Uses(id) == 1 && opcode(id) == Opcode::kCopy) id = module_.operands(id)[0];
    if (Uses(id) != 1 || opcode(id) != wanted) return std::nullopt;
    return id;
  }

  // The instructions from `id` to `end`, which are replaced.
  void Drop(hlo::InstructionId id, hlo::InstructionId end) {
    while (id != end) {
      out_.dropped.insert(id);
      id = module_.operands(id)[0];
    }
  }

  void TrySliceOfPad(hlo::InstructionId id) {
    const auto pad = SingleUse(module_.operands(id)[0], Opcode::kPad);
    if (!pad.has_value()) return;
    if (leaves_[*pad] != leaves_[id]) return;
    const auto slice = hlo::GetSlice(module_, id);
    auto padding = hlo::GetPadding(module_, *pad);
    const Shape& whole = module_.shape(*pad);
    bool twice = false;
    for (int64_t i = 0; i < whole.rank(); ++i) {
      hlo::PaddingDimension& p = At(padding, i);
      if (p.interior != 0 || At(slice, i).stride != 1) return;
      twice |= leaves_[id].front().dim(i) != 1 && (p.low != 0 || p.high != 0) &&
               module_.shape(id).dim(i) != whole.dim(i);
      const int64_t end = whole.dim(i) - p.high;
      p.low -= At(slice, i).start;
      p.high = At(slice, i).limit - end;
    }
    if (!twice) return;
    Drop(module_.operands(id)[0], *pad);
    out_.dropped.insert(*pad);
    Rewrite& rewrite = out_.rewritten[id];
    rewrite.kind = Rewrite::Kind::kPad;
    rewrite.operands = {module_.operands(*pad)[0], module_.operands(*pad)[1]};
    rewrite.cause = *pad;
    rewrite.padding = std::move(padding);
  }

  void TryRotation(hlo::InstructionId id) {
    const auto operands = module_.operands(id);
    if (operands.size() != 2 || !AreSlices(operands[0], operands[1])) return;
    const int64_t dim = hlo::GetDimension(module_, id).value_or(0);
    if (leaves_[id].front().dim(dim) == 1) return;
    const auto tail = SingleUse(module_.operands(id)[0], Opcode::kSlice);
    const auto head = SingleUse(module_.operands(id)[1], Opcode::kSlice);
    if (!tail.has_value() || !head.has_value()) return;
    const hlo::InstructionId whole = module_.operands(*tail)[0];
    if (module_.operands(*head)[0] != whole || leaves_[whole] != leaves_[id]) return;
    if (module_.shape(whole).dims() != module_.shape(id).dims()) return;
    const auto first = At(hlo::GetSlice(module_, *tail), dim);
    const auto second = At(hlo::GetSlice(module_, *head), dim);
    if (first.stride != 1 || second.stride != 1 || first.start != second.limit) return;
    for (const size_t i : {size_t{0}, size_t{1}}) {
      Drop(module_.operands(id)[i], whole);
    }
    Rewrite& rewrite = out_.rewritten[id];
    rewrite.kind = Rewrite::Kind::kRotate;
    rewrite.operands = {whole};
    rewrite.cause = id;
    rewrite.dim = dim;
    rewrite.amount = module_.shape(*tail).dim(dim);
  }

  // The end of the array, the array, its beginning.
  void TryPadWithWrap(hlo::InstructionId id) {
    const auto operands = module_.operands(id);
    if (operands.size() != 3 || !AreSlices(operands[0], operands[2])) return;
    const int64_t dim = hlo::GetDimension(module_, id).value_or(0);
    if (leaves_[id].front().dim(dim) == 1) return;
    const hlo::InstructionId whole = module_.operands(id)[1];
    const int64_t size = module_.shape(whole).dim(dim);
    for (const size_t i : {size_t{0}, size_t{2}}) {
      const auto part = SingleUse(module_.operands(id)[i], Opcode::kSlice);
      if (!part.has_value()) return;
      const auto slice = At(hlo::GetSlice(module_, *part), dim);
      if (module_.operands(*part)[0] != whole || slice.stride != 1) return;
      if (i == 0 ? slice.limit != size : slice.start != 0) return;
    }
    for (const size_t i : {size_t{0}, size_t{2}}) Drop(module_.operands(id)[i], whole);
    Rewrite& rewrite = out_.rewritten[id];
    rewrite.kind = Rewrite::Kind::kPadWithWrap;
    rewrite.operands = {whole};
    rewrite.cause = id;
    rewrite.dim = dim;
    rewrite.amount = size;
    rewrite.padding.resize(static_cast<size_t>(module_.shape(id).rank()));
    At(rewrite.padding, dim).low = module_.shape(module_.operands(id)[0]).dim(dim);
    At(rewrite.padding, dim).high = module_.shape(module_.operands(id)[2]).dim(dim);
  }

  const hlo::Module& module_;
  const ModuleView& view_;
  const InstructionLeaves& leaves_;
  Rewrites out_;
};

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
    const TableId start =
        TableAlong(*like.scope, like.tiling, dim, [size](int64_t at) { return at * size; });
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
  const NodeId fill = Replicate(v.operand(1)).node;
  const auto node = PadShards(v.operand(0), rewrite.padding, v.tiling(), fill, *v.base);
  if (node.has_value()) return *node;
  // Whole on every device.
  const PartitionedHlo whole = Replicate(v.operand(0));
  const RecipeId recipe = v.graph().Keep([&] { return recipe::Pad{rewrite.padding}; });
  const NodeId padded = v.graph().Add(v.opcode(), *v.base, {whole.node, fill}, recipe);
  return v.Resharded(padded, Tiling::Replicated());
}

}  // namespace

Rewrites FindRewrites(const ModuleView& view, const InstructionLeaves& leaves,
                      absl::Span<const hlo::InstructionId> slices_and_concatenations) {
  return Finder(view, leaves).Run(slices_and_concatenations);
}

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
