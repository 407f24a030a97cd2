// Slices and pads, as windows of one element; dynamic slices of unsharded dimensions.
//
// XLA's parser accepts a start that is one array, `dynamic-slice(x, i)` with i = s32[2]. Its
// partitioner reads one scalar for each dimension, and crashes on such an array. XLA:
// SpmdPartitioningVisitor::HandleSlice, HandlePad, HandleDynamicSlice, HandleDynamicUpdateSlice.

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/reshard/windows/window.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {
namespace {

// The slice of an operand with the sharding `at`; nothing if that is impossible.
std::optional<NodeId> SliceAt(Visit& v, const Tiling& at) {
  if (at.IsMaximal()) return std::nullopt;
  const auto slice = hlo::GetSlice(v.module(), v.id);
  const auto sliced = SliceShards(Reshard(v.operand(0), at), slice, at, *v.base);
  if (!sliced.has_value()) return std::nullopt;
  const NodeId node = v.Resharded(sliced->node, at);
  // A slice that takes nothing away must not share the memory of its input.
  return node == sliced->input ? v.graph().Copy(node) : node;
}

// The scalar integer constant; nothing for anything else.
std::optional<int64_t> ConstantOf(const Visit& v, size_t operand) {
  return hlo::SplatInt(v.module(), v.module().operands(v.id)[operand]);
}

// Dimensions that an update covers in part.
Dims UpdatedDims(const Visit& v) {
  Dims out;
  for (int64_t i = 0; i < v.base->rank(); ++i) {
    if (v.operands[1].base->dim(i) != v.base->dim(i)) out.push_back(i);
  }
  return out;
}

// The update is inside one shard for every start, or its start is known.
bool UpdatesOneShard(const Visit& v, const Dims& updated) {
  bool any = false;
  for (int64_t i : updated) {
    if (v.tiling().dim(i) == 1) continue;
    any = true;
    const int64_t size = v.operands[1].base->dim(i);
    if (size == 1) continue;
    const hlo::InstructionId index = v.module().operands(v.id)[static_cast<size_t>(i) + 2];
    if (v.module().instruction(index).opcode != Opcode::kConstant) return false;
    const int64_t start = ConstantOf(v, static_cast<size_t>(i) + 2).value_or(0);
    const int64_t shard = CeilDiv(v.base->dim(i), v.tiling().dim(i));
    if (start / shard != (start + size - 1) / shard) return false;
  }
  return any;
}

// Operands from `first` on are the start.
absl::Status CheckStart(const Visit& v, size_t first) {
  if (v.operands.size() == first || v.operands[first].base->rank() == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "the start is one array of indices, on which XLA's partitioner crashes; it takes a scalar "
      "for each dimension");
}

// Adds the replicated indices of sliced dimensions; returns these dimensions.
Dims AddIndices(Visit& v, const Shape& part, size_t first, std::vector<NodeId>& operands) {
  Dims dims;
  for (int64_t i = 0; i < part.rank(); ++i) {
    const size_t at = first + static_cast<size_t>(i);
    if (part.dim(i) == v.operands[0].base->dim(i)) continue;
    operands.push_back(Replicate(v.operand(at)).node);
    dims.push_back(i);
  }
  return dims;
}

// The start of the update in the unsharded array, and the starts of shards.
RecipeId UpdateOfOneShard(const Visit& v, const Dims& given) {
  return v.graph().Keep([&] {
    recipe::UpdateOneShard out;
    const Shape shard = v.shard_shape();
    for (int64_t dim : given) {
      const int64_t size = shard.dim(dim);
      out.starts.push_back({dim, v.base->dim(dim), StartAlong(*v.scope, v.tiling(), dim, size)});
    }
    return out;
  });
}

}  // namespace

absl::StatusOr<NodeId> PartitionSlice(Visit& v) {
  const Tiling operand = v.operand(0).tiling;
  if (operand.tiles() > v.tiling().tiles()) {
    if (const auto node = SliceAt(v, operand)) return *node;
  }
  if (const auto node = SliceAt(v, v.tiling())) return *node;
  return Default(v);
}

NodeId PadOrReplicate(Visit& v, const PartitionedHlo& value,
                      const std::vector<hlo::PaddingDimension>& padding, NodeId fill) {
  const auto node = PadShards(value, padding, v.tiling(), fill, *v.base);
  if (node.has_value()) return *node;
  const RecipeId recipe = v.graph().Keep([&] { return recipe::Pad{padding}; });
  const NodeId padded = v.graph().Add(Opcode::kPad, *v.base, {Replicate(value).node, fill}, recipe);
  return v.Resharded(padded, Tiling::Replicated());
}

absl::StatusOr<NodeId> PartitionPad(Visit& v) {
  const NodeId fill = Replicate(v.operand(1)).node;
  if (v.tiling().IsMaximal()) return Default(v);
  const auto padding = hlo::GetPadding(v.module(), v.id);
  const auto node = PadShards(v.operand(0), padding, v.tiling(), fill, *v.base);
  if (!node.has_value()) return Default(v);
  return *node;
}

absl::StatusOr<NodeId> PartitionDynamicSlice(Visit& v) {
  TESSERA_RETURN_IF_ERROR(CheckStart(v, 1));
  if (v.tiling().IsMaximal()) return Default(v);
  for (int64_t i = 0; i < v.base->rank(); ++i) {
    if (v.tiling().dim(i) != 1 && v.base->dim(i) != v.operands[0].base->dim(i)) return Default(v);
  }
  std::vector<NodeId> operands = {Reshard(v.operand(0), v.tiling()).node};
  const Dims sliced = AddIndices(v, *v.base, 1, operands);
  return v.graph().DynamicSlice(v.shard_shape(), operands,
                                v.graph().Keep([&] { return recipe::StartsGiven{sliced}; }));
}

absl::StatusOr<NodeId> PartitionDynamicUpdateSlice(Visit& v) {
  TESSERA_RETURN_IF_ERROR(CheckStart(v, 2));
  if (v.tiling().IsMaximal()) return Default(v);
  const Dims updated = UpdatedDims(v);
  std::vector<NodeId> indices;
  const Dims given = AddIndices(v, *v.operands[1].base, 2, indices);
  const bool one_shard = UpdatesOneShard(v, updated);
  const Tiling operand = v.operand(0).tiling;
  const Tiling& best = !one_shard && operand.tiles() > v.tiling().tiles() ? operand : v.tiling();
  const Tiling loose = ReplicateOn(best, updated);
  const NodeId base = Reshard(v.operand(0), one_shard ? best : loose).node;
  const NodeId update = Reshard(v.operand(1), loose).node;
  std::vector<NodeId> operands = {base, update};
  operands.insert(operands.end(), indices.begin(), indices.end());
  const RecipeId recipe = one_shard ? UpdateOfOneShard(v, given)
                                    : v.graph().Keep([&] { return recipe::StartsGiven{given}; });
  const NodeId node =
      v.graph().Add(Opcode::kDynamicUpdateSlice, v.graph().shape(base), operands, recipe);
  return one_shard ? node : v.Resharded(node, loose);
}

}  // namespace tessera::sharding::partition
