// Constants were split before propagation, one copy for each operand that reads them; those that
// came out with the same sharding become one again. A constant merges with an equal one of the same
// block, and so does a broadcast of a scalar; longer chains of constant ops stay split. Shardings
// are compared as propagation left them: {"a"} and {"a", ?} differ.

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/sharding/passes/export/export.h"
#include "tessera/sharding/passes/queries/constant_text.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

// The facts that must agree, beside block and sharding, before one op can replace another.
struct Key {
  const Block* block = nullptr;
  const Value* operand = nullptr;        // of a broadcast
  absl::string_view literal;             // of a constant
  const layout::Shape* shape = nullptr;  // of an array; its layout does not count
  ShardingId sharding = kNoSharding;

  friend bool operator==(const Key& a, const Key& b) {
    return a.block == b.block && a.operand == b.operand && a.sharding == b.sharding &&
           a.literal == b.literal &&
           (a.shape == b.shape || layout::Equal(*a.shape, *b.shape, layout::kIgnoreLayout));
  }
  template <typename H>
  friend H AbslHashValue(H h, const Key& k) {
    return H::combine(std::move(h), k.block, k.operand, k.literal, k.shape->element_type(),
                      k.shape->dims(), k.sharding);
  }
};

bool IsScalarBroadcast(const Op* op) { return IsBroadcast(op) && op->operand(0)->rank() == 0; }

}  // namespace

void MergeConstants(HloProgram& program) {
  absl::flat_hash_map<Key, Op*> known;
  ForEachOp(program, [&](Op* op) {
    const bool is_constant = op->kind == OpKind::kConstant;
    if (!is_constant && !IsScalarBroadcast(op)) return;
    Key key;
    key.block = op->block;
    if (is_constant) key.literal = ConstantText(program.module(), op);
    if (!is_constant) key.operand = op->operand(0);
    key.shape = &op->result()->shape();
    key.sharding = op->result()->sharding();
    const auto [first, is_new] = known.emplace(key, op);
    if (is_new) return;
    op->result()->ReplaceAllUsesWith(first->second->result());
    op->result()->ForwardTo(first->second->result());
    program.Erase(op);
  });
}

}  // namespace tessera::sharding::passes
