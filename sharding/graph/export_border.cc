// Groups and constraints, boundaries, closing: passes that look at one value at a time.

#include <vector>

#include "tessera/sharding/graph/export.h"
#include "tessera/sharding/graph/walk.h"
#include "tessera/sharding/trim.h"

namespace tessera::sharding::graph {
namespace {

// Rewrites one slot with `change(const TensorSharding&)`; empty slots stay empty.
template <typename Change>
ShardingId Changed(Graph& graph, ShardingId id, Change change) {
  if (id == kNoSharding) return id;
  return graph.shardings().Intern(change(graph.shardings()[id]));
}

ShardingId Even(Graph& graph, ShardingId id, const layout::Shape& shape) {
  if (!shape.is_array()) return id;
  return Changed(graph, id, [&](const TensorSharding& s) {
    return EvenlySharded(s, graph.meshes().mesh(s.mesh_id()), shape.dims());
  });
}

void MakeEven(Graph& graph, Value* value) {
  value->set_sharding(Even(graph, value->sharding(), value->shape()));
}

void MakeFunctionEven(Graph& graph, Function* f) {
  for (Value* arg : f->body->args) MakeEven(graph, arg);
  const Op* ret = f->body->terminator();
  for (size_t i = 0; i < f->result_shardings.size(); ++i) {
    ShardingId& id = f->result_shardings[i];
    id = Even(graph, id, ret->operand(static_cast<int>(i))->shape());
  }
}

// Borders of calls and of manual computations.
void MakeInnerBordersEven(Graph& graph) {
  if (!graph.HasAny({OpKind::kCall, OpKind::kManual})) return;
  ForEachOp(graph, [&](Op* op) {
    if (op->kind != OpKind::kCall && op->kind != OpKind::kManual) return;
    for (Value& result : op->results) MakeEven(graph, &result);
    if (op->kind == OpKind::kCall) return;
    for (Value* arg : op->blocks[0]->args) {
      // The argument has the local shape; its slot is about the operand outside.
      const layout::Shape& global = op->operand(arg->index())->shape();
      arg->set_sharding(Even(graph, arg->sharding(), global));
    }
  });
}

}  // namespace

void ReplaceMarks(Graph& graph) {
  if (!graph.HasAny({OpKind::kGroup, OpKind::kConstraint})) return;
  ForEachOp(graph, [&](Op* op) {
    if (op->kind == OpKind::kGroup) graph.Erase(op);
    if (op->kind == OpKind::kConstraint) graph.SetKind(op, OpKind::kReshard);
  });
}

void MakeBoundariesEven(Graph& graph) {
  for (Function* f : graph.functions()) MakeFunctionEven(graph, f);
  MakeInnerBordersEven(graph);
}

void CutSubAxesOfEntry(Graph& graph) {
  Function* entry = graph.entry();
  if (entry == nullptr) return;
  for (Value* arg : entry->body->args) {
    arg->set_sharding(Changed(graph, arg->sharding(), CutSubAxesOfOpenDims));
  }
  for (ShardingId& id : entry->result_shardings) id = Changed(graph, id, CutSubAxesOfOpenDims);
}

void CloseShardings(Graph& graph) {
  std::vector<ShardingId> closed(graph.shardings().size(), kNoSharding);
  const auto closed_id = [&](ShardingId id) {
    if (id == kNoSharding) return id;
    if (closed[id] == kNoSharding) closed[id] = Changed(graph, id, ClosedLike);
    return closed[id];
  };
  const auto close = [&](Value* v) { v->set_sharding(closed_id(v->sharding())); };
  for (Function* f : graph.functions()) {
    for (Value* arg : f->body->args) close(arg);
    for (ShardingId& id : f->result_shardings) id = closed_id(id);
  }
  ForEachOp(graph, [&](Op* op) {
    for (Value& result : op->results) close(&result);
    for (Block* block : op->blocks) {
      for (Value* arg : block->args) close(arg);
    }
  });
}

}  // namespace tessera::sharding::graph
