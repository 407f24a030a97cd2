#include "tessera/sharding/passes/emit/regions/captures.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
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

}  // namespace

std::vector<Value*> CapturedBy(const Op* op) {
  absl::flat_hash_set<const Value*> seen;
  std::vector<Value*> captured;
  for (Block* block : op->blocks()) AddCaptured(block, op, &seen, &captured);
  return captured;
}

std::vector<Value*> CapturedBy(Block* block) {
  absl::flat_hash_set<const Value*> seen;
  std::vector<Value*> captured;
  AddCaptured(block, nullptr, &seen, &captured);
  return captured;
}

}  // namespace tessera::sharding::passes
