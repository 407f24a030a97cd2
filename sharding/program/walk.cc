#include "tessera/sharding/program/walk.h"

#include "absl/container/flat_hash_set.h"

namespace tessera::sharding::program {
namespace {

void AddCalleesFirst(Function* f, absl::flat_hash_set<Function*>* seen,
                     std::vector<Function*>* order) {
  if (!seen->insert(f).second) return;
  ForEachOp(f->body, [&](Op* op) {
    if (op->kind == OpKind::kCall) AddCalleesFirst(op->As<CallInfo>()->callee, seen, order);
  });
  order->push_back(f);
}

void AddCalls(const Function* f, std::vector<Op*>* calls) {
  ForEachOp(f->body, [&](Op* op) {
    if (op->kind == OpKind::kCall) calls->push_back(op);
  });
}

}  // namespace

std::vector<Op*> CallsOf(const Function* f) {
  std::vector<Op*> calls;
  AddCalls(f, &calls);
  return calls;
}

std::vector<Op*> CallsOf(const Program& program) {
  std::vector<Op*> calls;
  if (program.CountOf(OpKind::kCall) == 0) return calls;
  for (const Function* f : program.functions()) AddCalls(f, &calls);
  return calls;
}

std::vector<Function*> CalleesFirst(const Program& program) {
  if (program.CountOf(OpKind::kCall) == 0) return program.functions();
  absl::flat_hash_set<Function*> seen;
  std::vector<Function*> order;
  for (Function* f : program.functions()) AddCalleesFirst(f, &seen, &order);
  return order;
}

bool IsInside(const Block* block, const Block* outer) {
  while (block != nullptr && block != outer) {
    block = block->parent == nullptr ? nullptr : block->parent->block;
  }
  return block != nullptr;
}

bool IsInsideOp(const Block* block, const Op* op) {
  for (; block->parent != nullptr; block = block->parent->block) {
    if (block->parent == op) return true;
  }
  return false;
}

}  // namespace tessera::sharding::program
