// Sinks data-flow edges: their shardings go to the values that they stood for.

#include <algorithm>

#include "tessera/sharding/passes/prepare/edges.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/sharding/trim.h"

namespace tessera::sharding::passes {
namespace {

Op* EdgeOf(const Value* owner) {
  if (!owner->has_one_use()) return nullptr;
  Op* user = owner->first_use()->user();
  return user->kind == OpKind::kDataFlowEdge ? user : nullptr;
}

ShardingId FromEdge(HloProgram& program, const Value* owner, ShardingId edge) {
  const bool manual_arg = owner->owner() != nullptr && owner->owner()->parent != nullptr &&
                          owner->owner()->parent->kind == OpKind::kManualComputation;
  if (edge == kNoSharding || !manual_arg || !owner->has_sharding()) return edge;
  const TensorSharding whole =
      WithManualAxes(*program.Find(edge), *program.Find(owner),
                     owner->owner()->parent->As<ManualInfo>()->manual_axes);
  return program.shardings().Intern(whole);
}

}  // namespace

std::vector<Value*> ResultsOf(const Op* op) {
  std::vector<Value*> results;
  for (int i = 0; i < op->num_results(); ++i) results.push_back(op->result(i));
  return results;
}

std::vector<Value*> ArgsOf(const Block* block) { return {block->args.begin(), block->args.end()}; }

void SinkEdgesOf(HloProgram& program, const std::vector<Value*>& owners) {
  std::vector<ShardingId> shardings;
  MeshId mesh = kNoMesh;
  for (Value* owner : owners) {
    Op* edge = EdgeOf(owner);
    const ShardingId id = edge == nullptr ? kNoSharding : edge->result()->sharding();
    shardings.push_back(FromEdge(program, owner, id));
    if (id != kNoSharding && mesh == kNoMesh) mesh = program.Find(id)->mesh_id();
    if (edge == nullptr) continue;
    edge->result()->ReplaceAllUsesWith(owner);
    edge->result()->ForwardTo(owner);
    program.Erase(edge);
  }
  if (mesh == kNoMesh) return;
  for (size_t i = 0; i < owners.size(); ++i) {
    if (shardings[i] == kNoSharding) {
      shardings[i] = program.shardings().Intern(TensorSharding::FullyOpen(mesh, RankOf(owners[i])));
    }
    owners[i]->set_sharding(shardings[i]);
  }
}

void SinkEdges(HloProgram& program) {
  if (program.CountOf(OpKind::kDataFlowEdge) == 0) return;
  std::vector<Op*> owners;  // collected first: the edges after them vanish
  ForEachOp(program, [&](Op* op) {
    if (op->kind == OpKind::kWhile || op->kind == OpKind::kCase ||
        op->kind == OpKind::kManualComputation || op->kind == OpKind::kOptBarrier) {
      owners.push_back(op);
    }
  });
  for (Op* op : owners) {
    if (op->kind == OpKind::kManualComputation) SinkEdgesOf(program, ArgsOf(op->blocks()[0]));
    SinkEdgesOf(program, ResultsOf(op));
  }
}

}  // namespace tessera::sharding::passes
