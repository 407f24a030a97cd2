// One walk, inner loops first. A loop knows what it captures when its blocks have been walked:
//
//   while (x) { while (y) { .. v .. } .. w .. }     inner: v; outer: v, w
//
// It then gets its constraints, which read the values one block further out. What the loop around
// captures through the inner one begins with what was opened there, and goes on with what was not.
// In which order uses stand in their lists does not matter, for they are renewed after the import.
//
// Cost: linear in operands and in what loops capture, summed over the loops, times the number of
// blocks around a value where that is looked up.

#include "tessera/sharding/passes/import/build/captures.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

const Block* BlockOf(const Value* value) {
  return value->def() != nullptr ? value->def()->block : value->owner();
}

// The values of outside that a loop uses, in order of first use, each with its uses.
class Captures {
 public:
  using Entry = std::pair<Value*, std::vector<Use*>>;

  explicit Captures(const Op* loop) : loop_(loop) {}

  void Add(Value* value, absl::Span<Use* const> uses) {
    if (IsInsideOp(BlockOf(value), loop_)) return;
    const auto [place, is_new] = places_.emplace(value, entries_.size());
    if (is_new) entries_.push_back({value, {}});
    std::vector<Use*>& all = entries_[place->second].second;
    all.insert(all.end(), uses.begin(), uses.end());
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  const Op* loop_;
  std::vector<Entry> entries_;
  absl::flat_hash_map<const Value*, size_t> places_;
};

class Opener {
 public:
  explicit Opener(HloProgram* program) : program_(*program) {}

  // `around`: of the innermost loop, null outside of loops.
  void Visit(Block* block, Captures* around) {
    for (Op *op = block->first, *next; op != nullptr; op = next) {
      next = op->next;
      if (op->kind == OpKind::kWhile) {
        VisitLoop(op, around);
      } else {
        for (Block* inner : op->blocks()) Visit(inner, around);
      }
      if (around == nullptr) continue;
      for (Use& use : op->operands) {
        if (BlockOf(use.value()) != block) around->Add(use.value(), {&use});
      }
    }
  }

 private:
  void VisitLoop(Op* loop, Captures* around) {
    Captures captures(loop);
    for (Block* block : loop->blocks()) Visit(block, &captures);
    std::vector<const Captures::Entry*> left;
    for (const Captures::Entry& entry : captures.entries()) {
      Use* opened = Open(loop, entry);
      if (opened == nullptr) left.push_back(&entry);
      if (opened != nullptr && around != nullptr) around->Add(entry.first, {opened});
    }
    if (around == nullptr) return;
    for (const Captures::Entry* entry : left) around->Add(entry->first, entry->second);
  }

  // The sharding of the value at the place of the loop.
  ShardingId ShardingHere(const Value* value) {
    const Block* owner = value->owner();
    const bool is_manual_arg = owner != nullptr && owner->parent != nullptr &&
                               owner->parent->kind == OpKind::kManualComputation;
    return is_manual_arg ? LocalSharding(program_, value) : value->sharding();
  }

  // The use of the value by its constraint; null if it needs none.
  Use* Open(Op* loop, const Captures::Entry& entry) {
    const auto& [value, uses] = entry;
    const TensorSharding* sharding = program_.Find(ShardingHere(value));
    if (sharding == nullptr || sharding->rank() == 0 || sharding->IsFullyOpen()) return nullptr;
    OpHead head;
    head.kind = OpKind::kConstraint;
    head.part = OpPart::kOpened;
    Op* constraint = program_.AddOp(head, {value}, {&value->shape()}, InsertPoint::Before(loop));
    constraint->result()->set_sharding(program_.shardings().Intern(FullyOpenLike(*sharding)));
    for (Use* use : uses) use->Set(constraint->result());
    return &constraint->operands[0];
  }

  HloProgram& program_;
};

}  // namespace

void OpenWhileFreeVarsShardings(HloProgram* program) {
  if (program->CountOf(OpKind::kWhile) == 0) return;
  Opener opener(program);
  for (Function* f : program->functions()) opener.Visit(f->body, nullptr);
}

}  // namespace tessera::sharding::passes
