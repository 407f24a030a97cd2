#include "tessera/sharding/graph/prepare/edges.h"

#include <vector>

#include "tessera/sharding/graph/export/sink_edges.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::graph {
namespace {

bool HasStaticShape(const Value& value) {
  return value.is_array() && !value.shape().has_dynamic_dim();
}

void AddEdge(Graph* graph, Value* owner) {
  if (!HasStaticShape(*owner)) return;
  const Op* parent = owner->owner() == nullptr ? nullptr : owner->owner()->parent;
  const bool is_manual_arg = parent != nullptr && parent->kind == OpKind::kManualComputation;
  OpHead head;
  head.kind = OpKind::kDataFlowEdge;
  Op* edge = graph->AddOp(head, {owner}, {&owner->shape()}, InsertPoint::After(owner));
  edge->result()->set_sharding(is_manual_arg ? LocalSharding(*graph, owner) : owner->sharding());
  owner->ReplaceOtherUsesWith(edge->result());
}

}  // namespace

// Backwards, for each edge goes directly behind its owner or to the front of the block.
void AddEdgesTo(Graph* graph, const std::vector<Value*>& owners) {
  for (auto owner = owners.rbegin(); owner != owners.rend(); ++owner) AddEdge(graph, *owner);
}

void AddBoundaryEdges(Graph* graph, Op* op) {
  AddEdgesTo(graph, ArgsOf(op->blocks()[0]));
  AddEdgesTo(graph, ResultsOf(op));
}

void AddEdges(Graph* graph) {
  if (!graph->HasAny(
          {OpKind::kWhile, OpKind::kCase, OpKind::kOptBarrier, OpKind::kManualComputation}))
    return;
  ForEachOpPostOrder(*graph, [&](Op* op) {
    switch (op->kind) {
      case OpKind::kWhile:
      case OpKind::kCase:
      case OpKind::kOptBarrier:
        return AddEdgesTo(graph, ResultsOf(op));
      case OpKind::kManualComputation:
        return AddBoundaryEdges(graph, op);
      default:
        return;
    }
  });
}

}  // namespace tessera::sharding::graph
