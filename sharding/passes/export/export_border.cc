// Groups and constraints, boundaries, closing: passes that look at one value at a time.

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/passes/export/export.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/sharding/trim.h"

namespace tessera::sharding::passes {
namespace {

// One change of shardings, made once for each; empty slots stay empty.
class Changes {
 public:
  Changes(HloProgram& program, TensorSharding (*change)(const TensorSharding&))
      : program_(program), change_(change) {}

  ShardingId Of(ShardingId id) {
    if (id == kNoSharding) return id;
    if (id >= changed_.size()) changed_.resize(program_.shardings().size(), kNoSharding);
    if (changed_[id] != kNoSharding) return changed_[id];
    return changed_[id] = program_.shardings().Intern(change_(program_.shardings()[id]));
  }
  void Apply(Value* value) { value->set_sharding(Of(value->sharding())); }
  void ApplyToBorder(Function* f) {
    for (Value* arg : f->body->args) Apply(arg);
    for (ShardingId& id : f->result_shardings) id = Of(id);
  }

 private:
  HloProgram& program_;
  TensorSharding (*const change_)(const TensorSharding&);
  std::vector<ShardingId> changed_;  // by id; kNoSharding: not asked for yet
};

// Even shardings of borders. Parameters of one shape with one sharding repeat; memoised.
class BoundaryEvenSharder {
 public:
  explicit BoundaryEvenSharder(HloProgram& program) : program_(program) {}

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
    const TensorSharding& s = program_.shardings()[id];
    return known->second = program_.shardings().Intern(
               EvenlySharded(s, program_.meshes().mesh(s.mesh_id()), shape.dims()));
  }

  HloProgram& program_;
  absl::flat_hash_map<std::pair<ShardingId, const layout::Shape*>, ShardingId> even_;
};

}  // namespace

void RemoveGroups(HloProgram& program) {
  if (program.CountOf(OpKind::kShardingGroup) == 0) return;
  ForEachOp(program, [&](Op* op) {
    if (op->kind == OpKind::kShardingGroup) program.Erase(op);
  });
}

void ConstraintsToReshards(HloProgram& program) {
  if (program.CountOf(OpKind::kConstraint) == 0) return;
  ForEachOp(program, [&](Op* op) {
    if (op->kind == OpKind::kConstraint) program.SetKind(op, OpKind::kReshard);
  });
}

void TakeShardingsOfResults(HloProgram& program) {
  Function* entry = program.entry();
  if (entry == nullptr) return;
  const Op* ret = entry->body->terminator();
  for (size_t i = 0; i < entry->result_shardings.size(); ++i) {
    ShardingId& result = entry->result_shardings[i];
    const TensorSharding* s = program.Find(ret->operand(static_cast<int>(i)));
    if (result != kNoSharding || s == nullptr) continue;
    if (!program.meshes().mesh(s->mesh_id()).is_maximal()) {
      result = ret->operand(static_cast<int>(i))->sharding();
    }
  }
}

void MakeBoundariesEven(HloProgram& program) {
  BoundaryEvenSharder evener(program);
  for (Function* f : program.functions()) evener.ApplyTo(f);
  if (!program.HasAny({OpKind::kCall, OpKind::kManualComputation})) return;
  ForEachOp(program, [&](Op* op) {
    if (op->kind == OpKind::kCall || op->kind == OpKind::kManualComputation) evener.ApplyTo(op);
  });
}

void CutSubAxesOfEntry(HloProgram& program) {
  Function* entry = program.entry();
  if (entry == nullptr) return;
  Changes(program, CutSubAxesOfOpenDims).ApplyToBorder(entry);
}

void CloseShardings(HloProgram& program) {
  Changes closed(program, ClosedLike);
  for (Function* f : program.functions()) closed.ApplyToBorder(f);
  ForEachOp(program, [&](Op* op) {
    for (Value& result : op->results) closed.Apply(&result);
    for (Block* block : op->blocks()) {
      for (Value* arg : block->args) closed.Apply(arg);
    }
  });
}

}  // namespace tessera::sharding::passes
