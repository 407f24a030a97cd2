#include "tessera/sharding/partition/repeats/shard_by_shard.h"

#include <optional>

namespace tessera::sharding::partition {
namespace {

// For a part smaller than the array. A dimension of one element may still have a stride.
bool TakesAllThatIsCut(const layout::Shape& part, const layout::Shape& whole,
                       const Tiling& tiling) {
  if (!tiling.IsTiled() || part.dims() == whole.dims()) return false;
  for (int64_t i = 0; i < part.rank(); ++i) {
    if (tiling.dim(i) != 1 && (part.dim(i) != whole.dim(i) || part.dim(i) == 1)) return false;
  }
  return true;
}

}  // namespace

// Adapts the node to other dimensions of equal data.
void ShardByShard::Adapt(Last& last, uint64_t same_dims) {
  last.shard.same_dims = same_dims;
  last.shard.state = states_.OfModel(last.shard);
}

// Instructions of one class have equal leaves.
bool ShardByShard::Learn(hlo::InstructionId id, Last& last) {
  const hlo::Instruction& instruction = module_.instruction(id);
  last.leaves = input_.leaves(id);
  if (lists_.FirstHasManual(last.leaves)) return false;
  last.shape = instruction.shape;
  last.shard.opcode = instruction.opcode;
  last.shard.recipe =
      instruction.opcode == Opcode::kSlice ? Recipes::kSliceAsWritten : Recipes::kAsWritten;
  last.shard.shape = graph_.Kept(ShardShapes(module_.shape(id), lists_[last.leaves]));
  last.shard.unreduced = instruction.opcode != Opcode::kSlice && input_.IsUnreduced(id);
  last.all_dims = Graph::AllDimsOf(*last.shard.shape);
  Adapt(last, 0);
  return true;
}

// Writes down the node of the operand.
std::optional<uint64_t> ShardByShard::SameDimsOfSlice(hlo::InstructionId id, const Last& last) {
  const ValueState& state = values_.Of(module_.operands(id)[0]);
  if (state.leaves != last.leaves) return std::nullopt;
  const layout::Shape& whole = module_.interned_shape(state.shape);
  if (!TakesAllThatIsCut(module_.shape(id), whole, lists_[last.leaves].front())) {
    return std::nullopt;
  }
  *graph_.RoomForOperands(1) = state.node;
  return graph_.node(state.node).same_dims;
}

bool ShardByShard::Handles(hlo::InstructionId id, InstructionClasses::Id class_id) {
  Last& last = last_[class_id];
  if (last.shard.shape == nullptr && !Learn(id, last)) return false;
  const absl::Span<const hlo::InstructionId> operands = module_.operands(id);
  uint64_t same = operands.empty() ? 0 : last.all_dims;
  if (last.shard.opcode == Opcode::kSlice) {
    const std::optional<uint64_t> of_slice = SameDimsOfSlice(id, last);
    if (!of_slice.has_value()) return false;
    same = *of_slice;
  } else {
    NodeId* nodes = graph_.RoomForOperands(operands.size());
    for (const hlo::InstructionId operand : operands) {
      const ValueState& state = values_.Of(operand);
      if (state.leaves != last.leaves) return false;
      same &= graph_.node(state.node).same_dims;
      *nodes++ = state.node;
    }
  }
  if (last.shard.same_dims != same) Adapt(last, same);
  values_.Set(id, {graph_.AddLike(last.shard, operands.size()), last.leaves, last.shape, false});
  return true;
}

}  // namespace tessera::sharding::partition
