#include "tessera/sharding/graph/import/captures.h"

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/graph/walk.h"

namespace tessera::sharding::graph {
namespace {

const Block* BlockOf(const Value* value) {
  return value->def() != nullptr ? value->def()->block : value->owner();
}

// In order of first use, each once.
std::vector<Value*> CapturedValues(const Op* loop) {
  absl::flat_hash_set<Value*> seen;
  std::vector<Value*> captured;
  for (Block* block : loop->blocks) {
    ForEachOpPostOrder(block, [&](Op* op) {
      for (const Use& use : op->operands) {
        const Block* home = BlockOf(use.value());
        if (home == op->block || IsInside(home, block)) continue;
        if (seen.insert(use.value()).second) captured.push_back(use.value());
      }
    });
  }
  return captured;
}

// What the value is sharded like where the loop stands.
ShardingId ShardingHere(Graph* graph, const Value* value) {
  const Block* owner = value->owner();
  const bool is_manual_arg =
      owner != nullptr && owner->parent != nullptr && owner->parent->kind == OpKind::kManual;
  return is_manual_arg ? LocalSharding(*graph, value) : value->sharding();
}

void Open(Graph* graph, Op* loop, Value* value, const TensorSharding& sharding) {
  OpHead head;
  head.kind = OpKind::kConstraint;
  head.part = OpPart::kOpened;
  Op* constraint = graph->AddOp(head, {value}, {&value->shape()}, InsertPoint::Before(loop));
  constraint->result()->set_sharding(graph->shardings().Intern(FullyOpenLike(sharding)));
  for (const Block* block : loop->blocks) {
    value->ReplaceAllUsesExcept(
        constraint->result(), [&](const Use& use) { return !IsInside(use.user()->block, block); });
  }
}

void OpenCapturesOf(Graph* graph, Op* loop) {
  for (Value* value : CapturedValues(loop)) {
    const TensorSharding* sharding = graph->Find(ShardingHere(graph, value));
    if (sharding == nullptr || sharding->rank() == 0 || sharding->IsFullyOpen()) continue;
    Open(graph, loop, value, *sharding);
  }
}

}  // namespace

void OpenCapturedValues(Graph* graph) {
  if (graph->CountOf(OpKind::kWhile) == 0) return;
  std::vector<Op*> loops;
  ForEachOpPostOrder(*graph, [&](Op* op) {
    if (op->kind == OpKind::kWhile) loops.push_back(op);
  });
  for (Op* loop : loops) OpenCapturesOf(graph, loop);
}

}  // namespace tessera::sharding::graph
