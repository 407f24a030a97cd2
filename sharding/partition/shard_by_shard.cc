#include "tessera/sharding/partition/shard_by_shard.h"

namespace tessera::sharding::partition {

// Instructions of a kind say the same, so that their leaves are those of the first one.
bool ShardByShard::Learn(hlo::InstructionId id, Last& last) {
  const hlo::Instruction& instruction = module_.instruction(id);
  last.leaves = input_.leaves(id);
  if (lists_.FirstHasManual(last.leaves)) return false;
  last.shape = instruction.shape;
  last.shard.opcode = instruction.opcode;
  last.shard.shape = graph_.Kept(ShardShapes(module_.shape(id), lists_[last.leaves]));
  last.shard.unreduced = input_.IsUnreduced(id);
  last.all_dims = Graph::AllDimsOf(*last.shard.shape);
  return true;
}

bool ShardByShard::Handles(hlo::InstructionId id, Kinds::Id kind) {
  const absl::Span<const hlo::InstructionId> operands = module_.operands(id);
  if (operands.size() > kMaxOperands) return false;
  Last& last = last_[kind];
  if (last.shard.shape == nullptr && !Learn(id, last)) return false;
  uint64_t same = operands.empty() ? 0 : last.all_dims;
  NodeId* end = nodes_.data();
  for (const hlo::InstructionId operand : operands) {
    const Held& held = values_.Of(operand);
    if (held.leaves != last.leaves) return false;
    same &= graph_.node(held.node).same_dims;
    *end++ = held.node;
  }
  if (last.shard.same_dims != same) {
    last.shard.same_dims = same;
    last.shard.state = 0;
  }
  const NodeId node =
      graph_.AddLike(last.shard, absl::MakeConstSpan(nodes_.data(), operands.size()),
                     [](NodeId operand) { return operand; });
  if (last.shard.state == 0) {
    states_.Of(node);
    last.shard.state = graph_.node(node).state;
  }
  values_.Set(id, {node, last.leaves, last.shape, false});
  return true;
}

}  // namespace tessera::sharding::partition
