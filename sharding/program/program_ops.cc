// Ops of a program: linked into the list of their block, and uses into the lists of their values.

#include <new>

#include "tessera/sharding/program/program.h"

namespace tessera::sharding::program {

Op* Program::NewOp(size_t num_operands, size_t num_results) {
  const size_t values = num_results * sizeof(Value);
  void* const place = arena_.Take(sizeof(Op) + values + num_operands * sizeof(Use));
  Op* const op = new (place) Op;
  Value* const results = reinterpret_cast<Value*>(op + 1);
  for (size_t i = 0; i < num_results; ++i) new (results + i) Value;
  op->results.Set(results, num_results);
  Use* const operands = reinterpret_cast<Use*>(results + num_results);
  for (size_t i = 0; i < num_operands; ++i) new (operands + i) Use;
  op->operands.Set(operands, num_operands);
  return op;
}

Op* Program::AddOp(const OpHead& head, absl::Span<Value* const> operands,
                   absl::Span<const layout::Shape* const> results, InsertPoint where) {
  Op* op = NewOp(operands.size(), results.size());
  op->kind = head.kind;
  op->part = head.part;
  op->pure = head.pure;
  op->source = head.source;
  Use* use = op->operands.data();
  for (Value* operand : operands) {
    use->user_ = op;
    if (operand != nullptr) use->LinkTo(operand);
    ++use;
  }
  Value* result = op->results.data();
  for (size_t i = 0; i < results.size(); ++i, ++result) {
    result->shape_ = results[i];
    result->index_ = static_cast<uint32_t>(i);
  }
  Link(op, where);
  return op;
}

void Program::Link(Op* op, InsertPoint where) {
  ++counts_[static_cast<size_t>(op->kind)];
  Block* block = where.block;
  op->block = block;
  op->next = where.before;
  op->prev = where.before != nullptr ? where.before->prev : block->last;
  (op->prev != nullptr ? op->prev->next : block->first) = op;
  (op->next != nullptr ? op->next->prev : block->last) = op;
}

void Program::Unlink(Op* op) {
  --counts_[static_cast<size_t>(op->kind)];
  (op->prev != nullptr ? op->prev->next : op->block->first) = op->next;
  (op->next != nullptr ? op->next->prev : op->block->last) = op->prev;
  op->block = nullptr;
  op->prev = op->next = nullptr;
}

void Program::SetKind(Op* op, OpKind kind) {
  --counts_[static_cast<size_t>(op->kind)];
  op->kind = kind;
  ++counts_[static_cast<size_t>(kind)];
}

void Program::Move(Op* op, InsertPoint where) {
  if (where.before == op) return;
  Unlink(op);
  Link(op, where);
}

void Program::DropAllUses(Op* op) {
  for (Use& use : op->operands) use.Set(nullptr);
  for (Block* block : op->blocks()) {
    for (Op* inner = block->first; inner != nullptr; inner = inner->next) DropAllUses(inner);
  }
}

void Program::Erase(Op* op) {
  DropAllUses(op);
  TakeOut(op);
}

void Program::TakeOut(Op* op) {
  for (Block* block : op->blocks()) {
    for (Op *inner = block->first, *next; inner != nullptr; inner = next) {
      next = inner->next;
      TakeOut(inner);
    }
    for (Value* arg : block->args) arg->MarkGone();
  }
  for (Value& result : op->results) result.MarkGone();
  Unlink(op);
}

void Program::Replace(Op* op, absl::Span<Value* const> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    op->results[i].ReplaceAllUsesWith(values[i]);
    op->results[i].ForwardTo(values[i]);
  }
  Erase(op);
}

void Program::EraseOperands(Op* op, const std::vector<bool>& dropped) {
  size_t kept = 0;
  for (size_t i = 0; i < op->operands.size(); ++i) {
    Value* value = op->operands[i].value();
    if (dropped[i]) {
      op->operands[i].Set(nullptr);
      continue;
    }
    if (kept != i) {
      op->operands[i].Set(nullptr);
      op->operands[kept].Set(value);
    }
    ++kept;
  }
  op->operands.Shrink(kept);
}

void Program::RenewUses() {
  for (Function* f : functions_) RenewUses(f->body);
}

// A use that is set again goes to the front; done for all uses in order, nothing of the old order
// is left.
void Program::RenewUses(Block* block) {
  for (Op* op = block->first; op != nullptr; op = op->next) {
    for (Use& use : op->operands) use.Set(use.value());
    for (Block* inner : op->blocks()) RenewUses(inner);
  }
}

}  // namespace tessera::sharding::program
