#include "tessera/sharding/passes/prepare/edges.h"

#include <vector>

#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

bool HasStaticShape(const Value& value) {
  return value.is_array() && !value.shape().has_dynamic_dim();
}

void AddEdge(HloProgram* program, Value* owner) {
  if (!HasStaticShape(*owner)) return;
  const Op* parent = owner->owner() == nullptr ? nullptr : owner->owner()->parent;
  const bool is_manual_arg = parent != nullptr && parent->kind == OpKind::kManualComputation;
  OpHead head;
  head.kind = OpKind::kDataFlowEdge;
  Op* edge = program->AddOp(head, {owner}, {&owner->shape()}, InsertPoint::After(owner));
  edge->result()->set_sharding(is_manual_arg ? LocalSharding(*program, owner) : owner->sharding());
  owner->ReplaceOtherUsesWith(edge->result());
}

}  // namespace

// Backwards, since each edge is inserted directly after its owner or at the front of the block.
void AddEdgesTo(HloProgram* program, const std::vector<Value*>& owners) {
  for (auto owner = owners.rbegin(); owner != owners.rend(); ++owner) AddEdge(program, *owner);
}

void AddBoundaryEdges(HloProgram* program, Op* op) {
  AddEdgesTo(program, ArgsOf(op->blocks()[0]));
  AddEdgesTo(program, ResultsOf(op));
}

void AddEdges(HloProgram* program) {
  if (!program->HasAny(
          {OpKind::kWhile, OpKind::kCase, OpKind::kOptBarrier, OpKind::kManualComputation}))
    return;
  ForEachOpPostOrder(*program, [&](Op* op) {
    switch (op->kind) {
      case OpKind::kWhile:
      case OpKind::kCase:
      case OpKind::kOptBarrier:
        return AddEdgesTo(program, ResultsOf(op));
      case OpKind::kManualComputation:
        return AddBoundaryEdges(program, op);
      default:
        return;
    }
  });
}

}  // namespace tessera::sharding::passes
