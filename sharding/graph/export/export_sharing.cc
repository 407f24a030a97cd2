// Functions of one origin whose parameters and results have equal shardings become one; see
// export_calls.cc.

#include "tessera/sharding/graph/export/export_sharing.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/graph/export.h"
#include "tessera/sharding/graph/import/canonicalize.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::graph {
namespace {

std::vector<ShardingId> Filled(Graph& graph, const std::vector<ShardingId>& shardings,
                               const std::vector<int>& ranks) {
  const auto first = std::find_if(shardings.begin(), shardings.end(),
                                  [](ShardingId id) { return id != kNoSharding; });
  if (first == shardings.end()) return {};
  const MeshId mesh = graph.Find(*first)->mesh_id();
  std::vector<ShardingId> filled = shardings;
  for (size_t i = 0; i < filled.size(); ++i) {
    if (filled[i] != kNoSharding) continue;
    filled[i] = graph.shardings().Intern(TensorSharding::FullyOpen(mesh, ranks[i]));
  }
  return filled;
}

}  // namespace

std::vector<ShardingId> ParameterShardings(Graph& graph, const Function* f) {
  std::vector<ShardingId> shardings;
  std::vector<int> ranks;
  for (const Value* arg : f->body->args) {
    shardings.push_back(arg->sharding());
    ranks.push_back(RankOf(arg));
  }
  return Filled(graph, shardings, ranks);
}

std::vector<ShardingId> ResultShardings(Graph& graph, const Function* f) {
  std::vector<int> ranks;
  const Op* ret = f->body->terminator();
  for (int i = 0; i < ret->num_operands(); ++i) ranks.push_back(RankOf(ret->operand(i)));
  return Filled(graph, f->result_shardings, ranks);
}

void ShareFunctions(Graph& graph) {
  using Key =
      std::tuple<std::string, std::vector<int>, std::vector<ShardingId>, std::vector<ShardingId>>;
  std::map<Key, Function*> first;
  absl::flat_hash_map<const Function*, Function*> shared;
  for (Function* f : graph.functions()) {
    Key key(f->original_name, f->manual_axes, ParameterShardings(graph, f),
            ResultShardings(graph, f));
    shared[f] = first.emplace(std::move(key), f).first->second;
  }
  for (Op* call : CallsOf(graph)) {
    CallInfo* info = call->As<CallInfo>();
    info->callee = shared[info->callee];
  }
  RemoveUnusedFunctions(&graph);
}

}  // namespace tessera::sharding::graph
