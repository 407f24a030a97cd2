// Groups and constraints, boundaries, closing: passes that look at one value at a time.

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/graph/export.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/sharding/trim.h"

namespace tessera::sharding::graph {
namespace {

// One change of shardings, made once for each; empty slots stay empty.
class Changes {
 public:
  Changes(Graph& graph, TensorSharding (*change)(const TensorSharding&))
      : graph_(graph), change_(change) {}

  ShardingId Of(ShardingId id) {
    if (id == kNoSharding) return id;
    if (id >= changed_.size()) changed_.resize(graph_.shardings().size(), kNoSharding);
    if (changed_[id] != kNoSharding) return changed_[id];
    return changed_[id] = graph_.shardings().Intern(change_(graph_.shardings()[id]));
  }
  void Apply(Value* value) { value->set_sharding(Of(value->sharding())); }
  void ApplyToBorder(Function* f) {
    for (Value* arg : f->body->args) Apply(arg);
    for (ShardingId& id : f->result_shardings) id = Of(id);
  }

 private:
  Graph& graph_;
  TensorSharding (*const change_)(const TensorSharding&);
  std::vector<ShardingId> changed_;  // by id; kNoSharding: not asked for yet
};

// Even shardings of borders. Parameters of one shape with one sharding repeat; memoised.
class BoundaryEvenSharder {
 public:
  explicit BoundaryEvenSharder(Graph& graph) : graph_(graph) {}

  void ApplyTo(Function* f) {
    for (Value* arg : f->body->args) Apply(arg);
    const Op* ret = f->body->terminator();
    for (size_t i = 0; i < f->result_shardings.size(); ++i) {
      ShardingId& id = f->result_shardings[i];
      id = Even(id, ret->operand(static_cast<int>(i))->shape());
    }
  }
  // Of a call or a manual computation.
  void ApplyTo(Op* op) {
    for (Value& result : op->results) Apply(&result);
    if (op->kind == OpKind::kCall) return;
    for (Value* arg : op->blocks()[0]->args) {
      // The argument has the local shape; its slot is about the operand outside.
      arg->set_sharding(Even(arg->sharding(), op->operand(arg->index())->shape()));
    }
  }

 private:
  void Apply(Value* value) { value->set_sharding(Even(value->sharding(), value->shape())); }
  ShardingId Even(ShardingId id, const layout::Shape& shape) {
    if (id == kNoSharding || !shape.is_array()) return id;
    const auto [known, is_new] = even_.try_emplace({id, &shape}, kNoSharding);
    if (!is_new) return known->second;
    const TensorSharding& s = graph_.shardings()[id];
    return known->second = graph_.shardings().Intern(
               EvenlySharded(s, graph_.meshes().mesh(s.mesh_id()), shape.dims()));
  }

  Graph& graph_;
  absl::flat_hash_map<std::pair<ShardingId, const layout::Shape*>, ShardingId> even_;
};

}  // namespace

void RemoveGroups(Graph& graph) {
  if (graph.CountOf(OpKind::kShardingGroup) == 0) return;
  ForEachOp(graph, [&](Op* op) {
    if (op->kind == OpKind::kShardingGroup) graph.Erase(op);
  });
}

void ConstraintsToReshards(Graph& graph) {
  if (graph.CountOf(OpKind::kConstraint) == 0) return;
  ForEachOp(graph, [&](Op* op) {
    if (op->kind == OpKind::kConstraint) graph.SetKind(op, OpKind::kReshard);
  });
}

void TakeShardingsOfResults(Graph& graph) {
  Function* entry = graph.entry();
  if (entry == nullptr) return;
  const Op* ret = entry->body->terminator();
  for (size_t i = 0; i < entry->result_shardings.size(); ++i) {
    ShardingId& result = entry->result_shardings[i];
    const TensorSharding* s = graph.Find(ret->operand(static_cast<int>(i)));
    if (result != kNoSharding || s == nullptr) continue;
    if (!graph.meshes().mesh(s->mesh_id()).is_maximal()) {
      result = ret->operand(static_cast<int>(i))->sharding();
    }
  }
}

void MakeBoundariesEven(Graph& graph) {
  BoundaryEvenSharder evener(graph);
  for (Function* f : graph.functions()) evener.ApplyTo(f);
  if (!graph.HasAny({OpKind::kCall, OpKind::kManualComputation})) return;
  ForEachOp(graph, [&](Op* op) {
    if (op->kind == OpKind::kCall || op->kind == OpKind::kManualComputation) evener.ApplyTo(op);
  });
}

void CutSubAxesOfEntry(Graph& graph) {
  Function* entry = graph.entry();
  if (entry == nullptr) return;
  Changes(graph, CutSubAxesOfOpenDims).ApplyToBorder(entry);
}

void CloseShardings(Graph& graph) {
  Changes closed(graph, ClosedLike);
  for (Function* f : graph.functions()) closed.ApplyToBorder(f);
  ForEachOp(graph, [&](Op* op) {
    for (Value& result : op->results) closed.Apply(&result);
    for (Block* block : op->blocks()) {
      for (Value* arg : block->args) closed.Apply(arg);
    }
  });
}

}  // namespace tessera::sharding::graph
