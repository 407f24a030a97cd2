#include "tessera/sharding/passes/prepare/rewrite_shardings.h"

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

using Visit = std::function<void(ShardingId&)>;

void VisitValue(Value* value, const Visit& visit) {
  if (!value->has_sharding()) return;
  ShardingId id = value->sharding();
  visit(id);
  value->set_sharding(id);
}

}  // namespace

void ForEachSharding(HloProgram* program, const Visit& visit) {
  for (Function* f : program->functions()) {
    for (Value* arg : f->body->args) VisitValue(arg, visit);
    for (ShardingId& result : f->result_shardings) {
      if (result != kNoSharding) visit(result);
    }
    ForEachOp(f->body, [&](Op* op) {
      for (Block* block : op->blocks()) {
        for (Value* arg : block->args) VisitValue(arg, visit);
      }
      for (Value& result : op->results) VisitValue(&result, visit);
      const bool is_call = op->kind == OpKind::kHlo && op->results.empty();
      CallSharding* own = is_call ? op->As<CallSharding>() : nullptr;
      if (own != nullptr && own->sharding != kNoSharding) visit(own->sharding);
    });
  }
}

void RewriteShardings(HloProgram* program,
                      const std::function<TensorSharding(const TensorSharding&)>& rewrite) {
  absl::flat_hash_map<ShardingId, ShardingId> known;
  ForEachSharding(program, [&](ShardingId& id) {
    const auto [it, is_new] = known.try_emplace(id, id);
    if (is_new) it->second = program->shardings().Intern(rewrite(program->shardings()[id]));
    id = it->second;
  });
}

}  // namespace tessera::sharding::passes
