// Calls after propagation.
//
// Propagation saw every call inlined, each with a body of its own, so two calls of one function may
// have come out differently. Three steps bring functions back:
//
//   NamedToFunctions    the body of each inlined call becomes a function, the op a call of it
//   ShareFunctions      functions of one origin with equal shardings at their border become one
//   ReshardCallResults  a call's results have the shardings that the function gives them; where the
//                       users of the call expect others, a reshard stands between
//
// Example: f is called with [{"a"}, {}] and with [{}, {"a"}]: two functions, f and f_0. Called
// twice with [{"a"}, {}]: one.

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/graph/export.h"
#include "tessera/sharding/graph/export_edges.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/graph/walk.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::graph {
namespace {

void SetFunction(Block* block, Function* function) {
  block->function = function;
  ForEachOp(block, [&](Op* op) {
    for (Block* inner : op->blocks) inner->function = function;
  });
}

// The mesh of the innermost manual computation around `block`.
MeshId ManualMeshAround(const Block* block) {
  for (; block->parent != nullptr; block = block->parent->block) {
    if (block->parent->kind == OpKind::kManual) return block->parent->As<ManualInfo>()->mesh;
  }
  return block->function->manual_mesh;
}

Function* MakeFunction(Graph& graph, Op* named) {
  const NamedInfo& info = *named->As<NamedInfo>();
  Block* body = named->blocks[0];
  Function* f = graph.AddFunction(graph.UniqueFunctionName(info.name), body->source);
  f->original_name = info.name;
  f->body = body;
  f->manual_axes = ManualAxesAround(named->block);
  f->manual_mesh = ManualMeshAround(named->block);
  body->parent = nullptr;
  body->region = 0;
  SetFunction(body, f);
  return f;
}

void NamedToFunction(Graph& graph, Op* named) {
  SinkEdgesOf(graph, ArgsOf(named->blocks[0]));
  SinkEdgesOf(graph, ResultsOf(named));
  Function* f = MakeFunction(graph, named);
  graph.SetKind(named, OpKind::kCall);
  named->blocks = {};
  graph.NewPayload<CallInfo>(named)->callee = f;
}

void SetResultShardings(Function* f) {
  const Op* ret = f->body->terminator();
  f->result_shardings.clear();
  for (int i = 0; i < ret->num_operands(); ++i) {
    f->result_shardings.push_back(ret->operand(i)->sharding());
  }
}

// All shardings, missing ones filled in as fully open; none if all are missing.
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

int RankOf(const Value* value) { return value->is_array() ? value->rank() : 0; }

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

void EraseUncalledFunctions(Graph& graph) {
  while (graph.functions().size() > 1) {
    absl::flat_hash_set<const Function*> called;
    ForEachOp(graph, [&](Op* op) {
      if (op->kind == OpKind::kCall) called.insert(op->As<CallInfo>()->callee);
    });
    std::vector<Function*>& all = graph.functions();
    const auto dead = std::remove_if(all.begin(), all.end(), [&](const Function* f) {
      return !f->is_entry && !called.contains(f);
    });
    if (dead == all.end()) return;
    all.erase(dead, all.end());
  }
}

// A reshard of `value` to `target` right after its op, which takes over all uses.
void ReshardAfter(Graph& graph, Value* value, ShardingId target) {
  Op* reshard = graph.AddOp({OpKind::kReshard, hlo::kNoId, OpPart::kInserted, true}, {value},
                            {&value->shape()}, InsertPoint::After(value));
  reshard->result()->set_sharding(target);
  value->ReplaceAllUsesExcept(reshard->result(),
                              [&](const Use& use) { return use.user() == reshard; });
}

// A function without shardings returns replicated values: fully closed ones for all results of a
// call that has some sharding, nothing for a call that has none.
std::vector<ShardingId> ReplicatedLike(Graph& graph, const Op* call) {
  const auto like = std::find_if(call->results.begin(), call->results.end(),
                                 [](const Value& v) { return v.has_sharding(); });
  if (like == call->results.end()) return {};
  const MeshId mesh = graph.Find(&*like)->mesh_id();
  std::vector<ShardingId> shardings;
  for (const Value& result : call->results) {
    shardings.push_back(
        graph.shardings().Intern(TensorSharding::FullyClosed(mesh, RankOf(&result))));
  }
  return shardings;
}

void ReshardResults(Graph& graph, Op* call) {
  const Function* callee = call->As<CallInfo>()->callee;
  std::vector<ShardingId> wanted = ResultShardings(graph, callee);
  if (wanted.empty()) wanted = ReplicatedLike(graph, call);
  for (int i = 0; i < call->num_results() && !wanted.empty(); ++i) {
    Value* result = call->result(i);
    const TensorSharding* made = graph.Find(wanted[static_cast<size_t>(i)]);
    if (!AreEquivalent(made, graph.Find(result))) {
      const ShardingId old = result->has_sharding()
                                 ? result->sharding()
                                 : graph.shardings().Intern(FullyClosedLike(*made));
      ReshardAfter(graph, result, old);
    }
    result->set_sharding(wanted[static_cast<size_t>(i)]);
  }
}

template <typename Visit>
void ForEachCall(Graph& graph, Visit visit) {
  if (graph.CountOf(OpKind::kCall) == 0) return;
  std::vector<Op*> calls;
  ForEachOp(graph, [&](Op* op) {
    if (op->kind == OpKind::kCall) calls.push_back(op);
  });
  for (Op* call : calls) visit(call);
}

}  // namespace

void NamedToFunctions(Graph& graph) {
  std::vector<Op*> named;
  if (graph.CountOf(OpKind::kNamed) > 0) {
    ForEachOpPostOrder(graph, [&](Op* op) {
      if (op->kind == OpKind::kNamed) named.push_back(op);
    });
  }
  for (Op* op : named) NamedToFunction(graph, op);
  for (Function* f : graph.functions()) {
    if (!f->is_entry) SetResultShardings(f);
  }
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
  ForEachCall(graph, [&](Op* call) {
    CallInfo* info = call->As<CallInfo>();
    info->callee = shared[info->callee];
  });
  EraseUncalledFunctions(graph);
}

void ReshardCallResults(Graph& graph) {
  ForEachCall(graph, [&](Op* call) { ReshardResults(graph, call); });
}

}  // namespace tessera::sharding::graph
