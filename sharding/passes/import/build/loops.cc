// An invariant that is replaced by its outer value can make others of them: elements that take it
// over in the same loop, and in loops around or inside. Each of these is looked at again when its
// operand or yield has changed, so that a chain of n elements costs n steps. Then arguments,
// operands and yields are dropped, and a new, smaller op takes over the blocks.

#include "tessera/sharding/passes/import/build/loops.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

// The loops of a block, and which of their elements never change.
class Invariants {
 public:
  explicit Invariants(Block* block) {
    ForEachOp(block, [this](Op* op) {
      if (op->kind != OpKind::kWhile) return;
      op->number = static_cast<int32_t>(loops_.size());
      loops_.push_back({op, std::vector<bool>(op->operands.size(), false), false});
    });
  }

  // Replaces each invariant by its outer value.
  void Replace() {
    for (size_t i = loops_.size(); i-- > 0;) {
      for (int k = loops_[i].op->num_operands(); k-- > 0;) open_.push_back({loops_[i].op, k});
    }
    while (!open_.empty()) {
      const Element element = open_.back();
      open_.pop_back();
      if (NeverChanges(element)) Replace(element);
    }
  }

  struct Loop {
    Op* op;
    std::vector<bool> invariant;  // by element
    bool has_invariant;
  };
  const std::vector<Loop>& loops() const { return loops_; }

 private:
  struct Element {
    Op* loop;
    int number;
  };

  Loop& LoopOf(const Op* op) { return loops_[static_cast<size_t>(op->number)]; }

  bool NeverChanges(const Element& element) {
    const size_t k = static_cast<size_t>(element.number);
    if (LoopOf(element.loop).invariant[k]) return false;
    const Block* body = element.loop->blocks()[1];
    const Value* yielded = body->terminator()->operand(element.number);
    return yielded == element.loop->operand(element.number) || yielded == body->args[k];
  }

  void Replace(const Element& element) {
    Loop& loop = LoopOf(element.loop);
    const size_t k = static_cast<size_t>(element.number);
    loop.invariant[k] = loop.has_invariant = true;
    Value* outer = loop.op->operand(element.number);
    for (Value* value : {loop.op->blocks()[0]->args[k], loop.op->blocks()[1]->args[k],
                         loop.op->result(element.number)}) {
      OpenReaders(*value);
      value->ReplaceAllUsesWith(outer);
      value->ForwardTo(outer);
    }
  }

  // The elements that begin with the value or take it over.
  void OpenReaders(const Value& value) {
    for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
      Op* user = use->user();
      const Block* block = user->block;
      const bool is_yield = user == block->terminator() && block->region == 1 &&
                            block->parent != nullptr && block->parent->kind == OpKind::kWhile;
      if (is_yield) user = block->parent;
      if (user->kind == OpKind::kWhile) open_.push_back({user, use->number()});
    }
  }

  std::vector<Loop> loops_;  // by number of the op
  std::vector<Element> open_;
};

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

void DropInvariants(HloProgram* program, Op* loop, const std::vector<bool>& invariant) {
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
}

}  // namespace

bool RemoveLoopInvariants(HloProgram* program, Block* block) {
  if (program->CountOf(OpKind::kWhile) == 0) return false;
  Invariants invariants(block);
  invariants.Replace();
  bool any = false;
  for (const auto& loop : invariants.loops()) {
    if (!loop.has_invariant) continue;
    DropInvariants(program, loop.op, loop.invariant);
    any = true;
  }
  return any;
}

}  // namespace tessera::sharding::passes
