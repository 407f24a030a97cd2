#include "tessera/sharding/graph/export.h"

#include "tessera/sharding/graph/purity.h"
#include "tessera/sharding/graph/walk.h"

namespace tessera::sharding::graph {
namespace {

void RemoveDeadIn(Graph& graph, Block* block) {
  for (Op *op = block->last, *previous; op != nullptr; op = previous) {
    previous = op->prev;
    if (!op->has_uses() && IsPure(*op)) {
      for (Value& result : op->results) result.MarkGone();
      graph.Erase(op);
      continue;
    }
    for (Block* inner : op->blocks) RemoveDeadIn(graph, inner);
  }
}

}  // namespace

void RemoveBarriers(Graph& graph) {
  if (graph.CountOf(OpKind::kPropagationBarrier) == 0) return;
  ForEachOp(graph, [&](Op* op) {
    if (op->kind != OpKind::kPropagationBarrier) return;
    Value* operand = op->operand(0);
    op->result()->ReplaceAllUsesWith(operand);
    op->result()->ForwardTo(operand);
    graph.Erase(op);
  });
}

void RemoveDeadOps(Graph& graph) {
  // An op that dies inside a region can leave its outer operands without uses, which come before
  // it.
  for (Function* f : graph.functions()) RemoveDeadIn(graph, f->body);
}

}  // namespace tessera::sharding::graph
