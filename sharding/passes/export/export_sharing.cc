// Functions of one origin whose parameters and results have equal shardings become one; see
// export_calls.cc.

#include "tessera/sharding/passes/export/export_sharing.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/passes/export/export.h"
#include "tessera/sharding/passes/import/canonicalize.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::passes {
namespace {

std::vector<ShardingId> Filled(HloProgram& program, const std::vector<ShardingId>& shardings,
                               const std::vector<int>& ranks) {
  const auto first = std::find_if(shardings.begin(), shardings.end(),
                                  [](ShardingId id) { return id != kNoSharding; });
  if (first == shardings.end()) return {};
  const MeshId mesh = program.Find(*first)->mesh_id();
  std::vector<ShardingId> filled = shardings;
  for (size_t i = 0; i < filled.size(); ++i) {
    if (filled[i] != kNoSharding) continue;
    filled[i] = program.shardings().Intern(TensorSharding::FullyOpen(mesh, ranks[i]));
  }
  return filled;
}

}  // namespace

std::vector<ShardingId> ParameterShardings(HloProgram& program, const Function* f) {
  std::vector<ShardingId> shardings;
  std::vector<int> ranks;
  for (const Value* arg : f->body->args) {
    shardings.push_back(arg->sharding());
    ranks.push_back(RankOf(arg));
  }
  return Filled(program, shardings, ranks);
}

std::vector<ShardingId> ResultShardings(HloProgram& program, const Function* f) {
  std::vector<int> ranks;
  const Op* ret = f->body->terminator();
  for (int i = 0; i < ret->num_operands(); ++i) ranks.push_back(RankOf(ret->operand(i)));
  return Filled(program, f->result_shardings, ranks);
}

void ShareFunctions(HloProgram& program) {
  using Key =
      std::tuple<std::string, std::vector<int>, std::vector<ShardingId>, std::vector<ShardingId>>;
  std::map<Key, Function*> first;
  absl::flat_hash_map<const Function*, Function*> shared;
  for (Function* f : program.functions()) {
    Key key(f->original_name, f->manual_axes, ParameterShardings(program, f),
            ResultShardings(program, f));
    shared[f] = first.emplace(std::move(key), f).first->second;
  }
  for (Op* call : CallsOf(program)) {
    CallInfo* info = call->As<CallInfo>();
    info->callee = shared[info->callee];
  }
  RemoveUnusedFunctions(&program);
}

}  // namespace tessera::sharding::passes
