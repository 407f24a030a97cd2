// Walks over the ops of a block, blocks inside included.
//
//   ForEachOp(block, [](Op* op) { ... });           // an op before the ops of its blocks
//   ForEachOpPostOrder(block, [](Op* op) { ... });  // after them
//
// The visitor may erase or move the op that it was given, and insert ops around it. An op put
// after this one is not visited by the walk, since the next op is taken before the call.

#ifndef TESSERA_SHARDING_PROGRAM_WALK_H_
#define TESSERA_SHARDING_PROGRAM_WALK_H_

#include <vector>

#include "tessera/sharding/program/program.h"

namespace tessera::sharding::program {

template <typename Visit>
void ForEachOp(Block* block, Visit&& visit) {
  for (Op *op = block->first, *next; op != nullptr; op = next) {
    next = op->next;
    visit(op);
    if (op->block == nullptr) continue;  // erased
    for (Block* inner : op->blocks()) ForEachOp(inner, visit);
  }
}

template <typename Visit>
void ForEachOpPostOrder(Block* block, Visit&& visit) {
  for (Op *op = block->first, *next; op != nullptr; op = next) {
    next = op->next;
    for (Block* inner : op->blocks()) ForEachOpPostOrder(inner, visit);
    visit(op);
  }
}

// Over all functions in order.
template <typename Visit>
void ForEachOp(const Program& program, Visit&& visit) {
  for (Function* f : program.functions()) ForEachOp(f->body, visit);
}

template <typename Visit>
void ForEachOpPostOrder(const Program& program, Visit&& visit) {
  for (Function* f : program.functions()) ForEachOpPostOrder(f->body, visit);
}

// The ops of kind kCall, in order.
std::vector<Op*> CallsOf(const Function* f);
std::vector<Op*> CallsOf(const Program& program);

// Functions so that a callee comes before its callers; otherwise in order of the module.
std::vector<Function*> CalleesFirst(const Program& program);

// True if `block` is `outer` or lies in an op of it, at any depth.
bool IsInside(const Block* block, const Block* outer);
// True if the block lies in one of the op's blocks.
bool IsInsideOp(const Block* block, const Op* op);

}  // namespace tessera::sharding::program

#endif  // TESSERA_SHARDING_PROGRAM_WALK_H_
