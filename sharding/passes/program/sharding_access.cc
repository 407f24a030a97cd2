#include "tessera/sharding/passes/program/sharding_access.h"

#include <algorithm>

#include "tessera/sharding/trim.h"

namespace tessera::sharding::passes {
namespace {

bool OwnsResultEdges(OpKind kind) {
  return kind == OpKind::kWhile || kind == OpKind::kCase || kind == OpKind::kOptBarrier ||
         kind == OpKind::kNamedComputation || kind == OpKind::kManualComputation ||
         kind == OpKind::kCall;
}

}  // namespace

Value* EdgeOwnerOf(const Value* value) {
  Op* def = value->def();
  if (def != nullptr) return OwnsResultEdges(def->kind) ? def->result(value->index()) : nullptr;
  Op* parent = value->owner()->parent;
  if (parent == nullptr) return value->owner()->args[static_cast<size_t>(value->index())];
  switch (parent->kind) {
    case OpKind::kWhile:
      return parent->result(value->index());
    case OpKind::kNamedComputation:
    case OpKind::kManualComputation:
      return value->owner()->args[static_cast<size_t>(value->index())];
    default:
      return nullptr;
  }
}

Value* ShardingOwnerOf(Value* value) {
  const Value* owner = EdgeOwnerOf(value);
  if (owner == nullptr || !owner->has_one_use()) return value;
  Op* user = owner->first_use()->user();
  return user->kind == OpKind::kDataFlowEdge ? user->result() : value;
}

void WriteSharding(HloProgram& program, Value* value, ShardingId sharding) {
  Op* def = value->def();
  if (def != nullptr && def->num_results() > 1) {
    const bool none = std::none_of(def->results.begin(), def->results.end(),
                                   [](const Value& r) { return r.has_sharding(); });
    const MeshId mesh = program.shardings()[sharding].mesh_id();
    for (Value& other : def->results) {
      if (!none || &other == value) continue;
      const int rank = other.rank();
      other.set_sharding(program.shardings().Intern(TensorSharding::FullyOpen(mesh, rank)));
    }
  }
  value->set_sharding(sharding);
}

bool AnyUnreduced(const HloProgram& program) {
  for (ShardingId id = 0; id < program.shardings().size(); ++id) {
    if (!program.Find(id)->unreduced_axes().empty()) return true;
  }
  return false;
}

ShardingId EffectiveSharding(HloProgram& program, const Value* value) {
  const Op* parent = value->owner() == nullptr ? nullptr : value->owner()->parent;
  if (parent == nullptr) return value->sharding();
  if (parent->kind == OpKind::kWhile) return parent->result(value->index())->sharding();
  if (parent->kind == OpKind::kManualComputation) return LocalSharding(program, value);
  return value->sharding();
}

ShardingId LocalSharding(HloProgram& program, const Value* arg) {
  const TensorSharding* outer = program.Find(arg);
  if (outer == nullptr) return kNoSharding;
  const ManualInfo& info = *arg->owner()->parent->As<ManualInfo>();
  return program.shardings().Intern(EraseManualAxes(*outer, info.manual_axes));
}

}  // namespace tessera::sharding::passes
