#include "tessera/sharding/graph/plan_captures.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/graph/walk.h"

namespace tessera::sharding::graph {
namespace {

void AddCaptured(Block* block, const Op* limit, absl::flat_hash_set<const Value*>* seen,
                 std::vector<Value*>* captured) {
  ForEachOpPostOrder(block, [&](Op* op) {
    for (int i = 0; i < op->num_operands(); ++i) {
      Value* value = op->operand(i);
      const Block* home = value->def() != nullptr ? value->def()->block : value->owner();
      if (home == op->block) continue;  // most: no need to look how deep that is
      const bool inside = limit != nullptr ? IsInsideOp(home, limit) : IsInside(home, block);
      if (!inside && seen->insert(value).second) captured->push_back(value);
    }
  });
}

bool IsReshard(const Op* op) {
  return op->kind == OpKind::kReshard || op->kind == OpKind::kAllReduce ||
         op->kind == OpKind::kReplicatedToUnreduced || op->kind == OpKind::kShardedToUnreduced;
}

// The value behind reshards and changes of unreduced axes.
const Value* BehindReshards(const Value* value) {
  while (value->def() != nullptr && IsReshard(value->def())) value = value->def()->operand(0);
  return value;
}

// The instruction that leaf `leaf` of `id` names: an operand of a tuple of arrays, or kNoId.
hlo::InstructionId LeafSource(const hlo::Module& module, hlo::InstructionId id, size_t leaf) {
  if (module.instruction(id).opcode != hlo::Opcode::kTuple) return hlo::kNoId;
  const auto operands = module.operands(id);
  for (hlo::InstructionId operand : operands) {
    if (module.shape(operand).is_tuple()) return hlo::kNoId;
  }
  return leaf < operands.size() ? operands[leaf] : hlo::kNoId;
}

}  // namespace

std::vector<Value*> CapturedBy(const Op* op) {
  absl::flat_hash_set<const Value*> seen;
  std::vector<Value*> captured;
  for (Block* block : op->blocks) AddCaptured(block, op, &seen, &captured);
  return captured;
}

std::vector<Value*> CapturedBy(Block* block) {
  absl::flat_hash_set<const Value*> seen;
  std::vector<Value*> captured;
  AddCaptured(block, nullptr, &seen, &captured);
  return captured;
}

LeafMapper::LeafMapper(const hlo::Module& module, hlo::InstructionId tuple, size_t num_leaves,
                       const std::vector<Value*>& captured, int first)
    : module_(module),
      tuple_(tuple),
      first_(first),
      map_(num_leaves, -1),
      constants_(num_leaves, hlo::kNoId) {
  for (size_t i = 0; i < captured.size(); ++i) {
    const int place = static_cast<int>(i);
    const Value* behind = BehindReshards(captured[i]);
    places_.emplace(captured[i], place);
    behind_.emplace(behind, place);
    const Op* op = behind->def();
    if (op != nullptr && op->is_clone) clones_[op->source] = place;
  }
}

int LeafMapper::PlaceOf(const Value* value) const {
  const auto itself = places_.find(value);
  if (itself != places_.end()) return itself->second;
  const auto reshard = behind_.find(BehindReshards(value));
  return reshard == behind_.end() ? -1 : reshard->second;
}

int LeafMapper::PlaceOfClone(hlo::InstructionId original) const {
  const auto found = original == hlo::kNoId ? clones_.end() : clones_.find(original);
  return found == clones_.end() ? -1 : found->second;
}

void LeafMapper::SetCaptured(size_t leaf, Value* outer) {
  const Value* now = outer->Resolve();
  const Op* def = now == nullptr ? outer->def() : now->def();
  int place = now == nullptr ? -1 : PlaceOf(now);
  if (place < 0) {
    const bool known = def != nullptr && def->source != hlo::kNoId;
    place = PlaceOfClone(known ? def->source : LeafSource(module_, tuple_, leaf));
  }
  if (place >= 0) map_[leaf] = place + first_;
  if (def != nullptr && def->kind == OpKind::kConstant) constants_[leaf] = def->source;
}

void LeafMapper::WriteTo(PlanComputation* region) {
  region->leaf_constants = std::move(constants_);
  region->parameter_leaves = {std::move(map_)};
}

}  // namespace tessera::sharding::graph
