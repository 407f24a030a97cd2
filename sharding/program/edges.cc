#include "tessera/sharding/program/edges.h"

namespace tessera::sharding::program {

std::vector<Value*> SourcesOf(const Op& edge) {
  const Value& owner = *edge.operand(0);
  const int k = owner.index();
  const Op& op = *OpOf(owner);
  if (owner.def() == nullptr) return {op.operand(k)};
  std::vector<Value*> sources;
  if (op.kind == OpKind::kWhile || op.kind == OpKind::kOptBarrier) sources = {op.operand(k)};
  for (const Block* block : op.blocks()) {
    const bool is_condition = op.kind == OpKind::kWhile && block->region == 0;
    if (!is_condition) sources.push_back(block->terminator()->operand(k));
  }
  return sources;
}

std::vector<Value*> OtherTargetsOf(const Op& edge) {
  const Value& owner = *edge.operand(0);
  const Op& op = *OpOf(owner);
  std::vector<Value*> targets;
  if (op.kind != OpKind::kWhile) return targets;
  for (const Block* block : op.blocks()) {
    targets.push_back(block->args[static_cast<size_t>(owner.index())]);
  }
  return targets;
}

}  // namespace tessera::sharding::program
