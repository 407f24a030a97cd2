// Only ops that packing has made are folded, never a tuple of the user's: what read one reads its
// replacement, if something else can stand for it. They are met in the order of their computation, so
// chains of tuples and elements fold in one sweep.
//
//   t = tuple(a, b)   e = get-tuple-element(t, 0)        readers of e read a
//   e0, e1 = elements of w   t = tuple(e0, e1)           readers of t read w, if that is all of w
//
// An op without effect that nobody reads goes, and with it what only it has read: uses are counted
// out from the last op to the first. Linear. Tested by the texts of sharding/passes/testdata and
// whole modules.

#include "tessera/sharding/passes/emit/tuple_simplifier.h"

#include <vector>

namespace tessera::sharding::passes {
namespace {

using hlo::Opcode;

bool Is(const Value* value, Opcode opcode) {
  return value->def() != nullptr && value->def()->opcode == opcode;
}

// The value whose elements, all of them and in order, the tuple has; null if there is none.
Value* WholeOf(const Op& tuple) {
  Value* whole = nullptr;
  for (int i = 0; i < tuple.num_operands(); ++i) {
    const Value* const element = tuple.operand(i);
    if (!Is(element, Opcode::kGetTupleElement) || element->def()->attribute != i) return nullptr;
    if (whole != nullptr && element->def()->operand(0) != whole) return nullptr;
    whole = element->def()->operand(0);
  }
  if (whole == nullptr) return nullptr;
  const bool all = whole->shape().tuple_elements().size() == tuple.operands.size();
  return all ? whole : nullptr;
}

// The value that can replace the op.
Value* ReplacementOf(const Op& op) {
  if (op.role != HloRole::kPacking) return nullptr;
  if (op.opcode == Opcode::kTuple) return WholeOf(op);
  if (op.opcode != Opcode::kGetTupleElement || !Is(op.operand(0), Opcode::kTuple)) return nullptr;
  return op.operand(0)->def()->operand(static_cast<int>(op.attribute));
}

bool Inherit(const HloShardings& shardings, const Value* old, Value* replacement) {
  const HloShardingId dropped = HloShardingOf(old);
  if (dropped == kNoHloSharding) return true;
  if (HloShardingOf(replacement) == kNoHloSharding) SetHloSharding(replacement, dropped);
  return shardings.Same(HloShardingOf(replacement), dropped);
}

void FoldPacking(HloForm& form) {
  for (Op* op : form.packing) {
    Value* const replacement = ReplacementOf(*op);
    if (replacement == nullptr || !Inherit(form.shardings, op->result(), replacement)) continue;
    op->result()->ReplaceAllUsesWith(replacement);
  }
}

bool IsDead(const Op& op) { return op.kind != OpKind::kReturn && op.pure && !op.has_uses(); }

void EraseDead(HloProgram& program, Block* block) {
  for (Op *op = block->last, *previous; op != nullptr; op = previous) {
    previous = op->prev;
    if (IsDead(*op)) program.Erase(op);
  }
}

// Computations that the entry does not reach are emptied.
void EmptyUnreached(HloForm& form) {
  std::vector<bool> reached(form.computations.size(), false);
  std::vector<int> todo = {form.entry};
  while (!todo.empty()) {
    const HloComputation& c = form.computations[static_cast<size_t>(todo.back())];
    const bool is_new = !reached[static_cast<size_t>(todo.back())];
    reached[static_cast<size_t>(todo.back())] = true;
    todo.pop_back();
    if (!is_new) continue;
    for (NodeId id = 0; id < c.num_nodes(); ++id) {
      const auto called = c.node(id).called();
      todo.insert(todo.end(), called.begin(), called.end());
    }
  }
  for (size_t i = 0; i < reached.size(); ++i) {
    if (!reached[i]) form.computations[i] = HloComputation();
  }
}

}  // namespace

void SimplifyTuples(HloProgram& program, HloForm& form) {
  FoldPacking(form);
  for (const HloComputation& c : form.computations) {
    if (c.block != nullptr) EraseDead(program, c.block);
  }
  form.packing.clear();
  NumberNodes(form);
  EmptyUnreached(form);
}

}  // namespace tessera::sharding::passes
