#include "tessera/sharding/passes/export/export.h"

#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/passes/queries/purity.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

bool IsChange(OpKind kind) {
  return kind == OpKind::kAllReduce || kind == OpKind::kReplicatedToUnreduced ||
         kind == OpKind::kShardedToUnreduced;
}

}  // namespace

// A change of unreduced axes starts from the sharding of its operand, which may be a barrier's: a
// constraint {"x", unreduced={"y"}} on barrier(v) shards the barrier and not v. Such a barrier
// stays.
void RemoveBarriers(HloProgram& program) {
  if (program.CountOf(OpKind::kPropagationBarrier) == 0) return;
  ForEachOp(program, [&](Op* op) {
    if (op->kind != OpKind::kPropagationBarrier) return;
    Value* operand = op->operand(0);
    const bool differs = op->result()->sharding() != EffectiveSharding(program, operand);
    op->result()->ReplaceAllUsesExcept(
        operand, [&](const Use& use) { return differs && IsChange(use.user()->kind); });
    if (op->has_uses()) return;
    op->result()->ForwardTo(operand);
    program.Erase(op);
  });
}

void RemoveDeadOps(HloProgram& program) {
  // An op that dies inside a region can leave its outer operands without uses, which come before
  // it.
  for (Function* f : program.functions()) {
    EraseDeadOps(&program, f->body, [](Op* op) {
      for (Value& result : op->results) result.MarkGone();
    });
  }
}

}  // namespace tessera::sharding::passes
