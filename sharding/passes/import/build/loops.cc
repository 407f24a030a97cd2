// Invariants are found and replaced one after the other; then arguments, operands and yields are
// dropped; then a new, smaller op takes over the blocks.

#include "tessera/sharding/passes/import/build/loops.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera::sharding::passes {
namespace {

// Replaces each invariant by its outer value; says which ones they are.
std::vector<bool> ReplaceInvariants(Op* loop) {
  Block* condition = loop->blocks()[0];
  Block* body = loop->blocks()[1];
  std::vector<bool> invariant(loop->operands.size(), false);
  for (int i = 0; i < loop->num_operands(); ++i) {
    const size_t k = static_cast<size_t>(i);
    Value* outer = loop->operand(i);
    Value* yielded = body->terminator()->operand(i);
    if (yielded != outer && yielded != body->args[k]) continue;
    invariant[k] = true;
    for (Value* value : {condition->args[k], body->args[k], loop->result(i)}) {
      value->ReplaceAllUsesWith(outer);
      value->ForwardTo(outer);
    }
  }
  return invariant;
}

// A copy of the loop's head with the results that stay.
Op* MakeSmallerLoop(HloProgram* program, Op* loop, const std::vector<bool>& invariant) {
  std::vector<Value*> operands;
  std::vector<const layout::Shape*> shapes;
  for (const Use& use : loop->operands) operands.push_back(use.value());
  for (size_t i = 0; i < loop->results.size(); ++i) {
    if (!invariant[i]) shapes.push_back(&loop->results[i].shape());
  }
  const OpHead head = {loop->kind, loop->source, loop->part, loop->pure};
  Op* smaller = program->AddOp(head, operands, shapes, InsertPoint::Before(loop));
  program->MoveExtra(loop, smaller);
  return smaller;
}

void UpdateInfo(const std::vector<bool>& invariant, LoopInfo* info) {
  std::vector<int> changing;
  for (size_t i = 0; i < invariant.size(); ++i) {
    if (!invariant[i]) changing.push_back(info->leaves[i]);
  }
  info->leaves = std::move(changing);
}

}  // namespace

Op* RemoveLoopInvariants(HloProgram* program, Op* loop) {
  const std::vector<bool> invariant = ReplaceInvariants(loop);
  if (std::find(invariant.begin(), invariant.end(), true) == invariant.end()) return nullptr;
  program->EraseArgs(loop->blocks()[0], invariant);
  program->EraseArgs(loop->blocks()[1], invariant);
  program->EraseOperands(loop->blocks()[1]->terminator(), invariant);
  program->EraseOperands(loop, invariant);
  UpdateInfo(invariant, loop->As<LoopInfo>());
  Op* smaller = MakeSmallerLoop(program, loop, invariant);
  for (int i = 0, kept = 0; i < loop->num_results(); ++i) {
    if (invariant[static_cast<size_t>(i)]) continue;
    loop->result(i)->ReplaceAllUsesWith(smaller->result(kept));
    loop->result(i)->ForwardTo(smaller->result(kept++));
  }
  program->Erase(loop);
  return smaller;
}

}  // namespace tessera::sharding::passes
