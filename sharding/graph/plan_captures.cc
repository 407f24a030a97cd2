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

bool IsCloneOf(const Value* value, hlo::InstructionId original) {
  const Op* op = BehindReshards(value)->def();
  return op != nullptr && op->source == original && original != hlo::kNoId && op->is_clone;
}

// The place of the last copy of a constant expression that was split among its users, or -1. The
// loop of the module has room for one of them.
int PlaceOfClone(const std::vector<Value*>& list, hlo::InstructionId original) {
  for (size_t i = list.size(); i-- > 0;) {
    if (IsCloneOf(list[i], original)) return static_cast<int>(i);
  }
  return -1;
}

// The place of `value` in `list`, else that of a reshard of it, else -1.
int PlaceOf(const std::vector<Value*>& list, const Value* value) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == value) return static_cast<int>(i);
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (BehindReshards(list[i]) == BehindReshards(value)) return static_cast<int>(i);
  }
  return -1;
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
      captured_(captured),
      first_(first),
      map_(num_leaves, -1),
      constants_(num_leaves, hlo::kNoId) {}

void LeafMapper::SetCaptured(size_t leaf, Value* outer) {
  const Value* now = outer->Resolve();
  const Op* def = now == nullptr ? outer->def() : now->def();
  int place = now == nullptr ? -1 : PlaceOf(captured_, now);
  if (place < 0) {
    const bool known = def != nullptr && def->source != hlo::kNoId;
    place = PlaceOfClone(captured_, known ? def->source : LeafSource(module_, tuple_, leaf));
  }
  if (place >= 0) map_[leaf] = place + first_;
  if (def != nullptr && def->kind == OpKind::kConstant) constants_[leaf] = def->source;
}

void LeafMapper::WriteTo(PlanComputation* region) {
  region->leaf_constants = std::move(constants_);
  region->parameter_leaves = {std::move(map_)};
}

}  // namespace tessera::sharding::graph
