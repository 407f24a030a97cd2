#include "tessera/sharding/graph/export/sink_edges.h"

#include <algorithm>

#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/sharding/trim.h"

namespace tessera::sharding::graph {
namespace {

Op* EdgeOf(const Value* owner) {
  if (!owner->has_one_use()) return nullptr;
  Op* user = owner->first_use()->user();
  return user->kind == OpKind::kDataFlowEdge ? user : nullptr;
}

ShardingId FromEdge(Graph& graph, const Value* owner, ShardingId edge) {
  const bool manual_arg = owner->owner() != nullptr && owner->owner()->parent != nullptr &&
                          owner->owner()->parent->kind == OpKind::kManualComputation;
  if (edge == kNoSharding || !manual_arg || !owner->has_sharding()) return edge;
  const TensorSharding whole = WithManualAxes(
      *graph.Find(edge), *graph.Find(owner), owner->owner()->parent->As<ManualInfo>()->manual_axes);
  return graph.shardings().Intern(whole);
}

}  // namespace

std::vector<Value*> ResultsOf(const Op* op) {
  std::vector<Value*> results;
  for (int i = 0; i < op->num_results(); ++i) results.push_back(op->result(i));
  return results;
}

std::vector<Value*> ArgsOf(const Block* block) { return {block->args.begin(), block->args.end()}; }

void SinkEdgesOf(Graph& graph, const std::vector<Value*>& owners) {
  std::vector<ShardingId> shardings;
  MeshId mesh = kNoMesh;
  for (Value* owner : owners) {
    Op* edge = EdgeOf(owner);
    const ShardingId id = edge == nullptr ? kNoSharding : edge->result()->sharding();
    shardings.push_back(FromEdge(graph, owner, id));
    if (id != kNoSharding && mesh == kNoMesh) mesh = graph.Find(id)->mesh_id();
    if (edge == nullptr) continue;
    edge->result()->ReplaceAllUsesWith(owner);
    edge->result()->ForwardTo(owner);
    graph.Erase(edge);
  }
  if (mesh == kNoMesh) return;
  for (size_t i = 0; i < owners.size(); ++i) {
    if (shardings[i] == kNoSharding) {
      shardings[i] = graph.shardings().Intern(TensorSharding::FullyOpen(mesh, RankOf(owners[i])));
    }
    owners[i]->set_sharding(shardings[i]);
  }
}

void SinkEdges(Graph& graph) {
  if (graph.CountOf(OpKind::kDataFlowEdge) == 0) return;
  std::vector<Op*> owners;  // collected first: the edges behind them vanish
  ForEachOp(graph, [&](Op* op) {
    if (op->kind == OpKind::kWhile || op->kind == OpKind::kCase ||
        op->kind == OpKind::kManualComputation || op->kind == OpKind::kOptBarrier) {
      owners.push_back(op);
    }
  });
  for (Op* op : owners) {
    if (op->kind == OpKind::kManualComputation) SinkEdgesOf(graph, ArgsOf(op->blocks()[0]));
    SinkEdgesOf(graph, ResultsOf(op));
  }
}

}  // namespace tessera::sharding::graph
