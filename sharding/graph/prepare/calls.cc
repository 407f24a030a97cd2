#include "tessera/sharding/graph/prepare/calls.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/graph/export/sink_edges.h"
#include "tessera/sharding/graph/import/canonicalize.h"
#include "tessera/sharding/graph/prepare/edges.h"
#include "tessera/sharding/graph/queries/function_names.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::graph {
namespace {

// The mesh of the first sharding that is not of a single device; kNoMesh if there is none.
MeshId FirstMesh(const Graph& graph, absl::Span<const ShardingId> shardings) {
  for (ShardingId id : shardings) {
    const TensorSharding* s = graph.Find(id);
    if (s != nullptr && !graph.meshes().mesh(s->mesh_id()).is_maximal()) return s->mesh_id();
  }
  return kNoMesh;
}

// Fills empty slots with fully open shardings; without any sharding on a mesh, empties all.
void FillOpen(Graph* graph, absl::Span<Value* const> values) {
  std::vector<ShardingId> shardings;
  for (const Value* value : values) shardings.push_back(value->sharding());
  const MeshId mesh = FirstMesh(*graph, shardings);
  for (Value* value : values) {
    if (mesh == kNoMesh) {
      value->set_sharding(kNoSharding);
    } else if (!value->has_sharding()) {
      value->set_sharding(
          graph->shardings().Intern(TensorSharding::FullyOpen(mesh, value->rank())));
    }
  }
}

// A copy of `f` and of all that it calls.
Function* CloneWithCallees(Graph* graph, const Function* f, FunctionNames* names) {
  Function* clone = graph->CloneFunction(f, names->Unique(f->name));
  for (Op* call : CallsOf(clone)) {
    CallInfo* info = call->As<CallInfo>();
    info->callee = CloneWithCallees(graph, info->callee, names);
  }
  return clone;
}

void InlineCall(Graph* graph, Op* call) {
  Function* body_of = call->As<CallInfo>()->callee;
  std::vector<Value*> operands;
  std::vector<const layout::Shape*> shapes;
  for (const Use& use : call->operands) operands.push_back(use.value());
  for (const Value& result : call->results) shapes.push_back(&result.shape());
  OpHead head;
  head.kind = OpKind::kNamedComputation;
  head.source = call->source;
  Op* named = graph->AddOp(head, operands, shapes, InsertPoint::Before(call));
  NamedInfo* info = graph->NewPayload<NamedInfo>(named);
  info->name = body_of->original_name;
  FillOpen(graph, body_of->body->args);
  graph->AddBlock(named, body_of->body);
  std::vector<Value*> results;
  for (int i = 0; i < named->num_results(); ++i) {
    named->result(i)->set_sharding(call->result(i)->sharding());
    results.push_back(named->result(i));
  }
  graph->Replace(call, results);
  AddBoundaryEdges(graph, named);
}

}  // namespace

void TakeCalleeResultShardings(Graph* graph) {
  if (graph->CountOf(OpKind::kCall) == 0) return;
  ForEachOp(*graph, [&](Op* op) {
    if (op->kind != OpKind::kCall) return;
    const bool has_own = std::any_of(op->results.begin(), op->results.end(),
                                     [](const Value& r) { return r.has_sharding(); });
    const auto& given = op->As<CallInfo>()->callee->result_shardings;
    const MeshId mesh = FirstMesh(*graph, given);
    if (has_own || mesh == kNoMesh) return;
    for (size_t i = 0; i < given.size(); ++i) {
      Value& result = op->results[i];
      const TensorSharding open = TensorSharding::FullyOpen(mesh, result.rank());
      result.set_sharding(given[i] != kNoSharding ? given[i] : graph->shardings().Intern(open));
    }
  });
}

void SeparateCallees(Graph* graph) {
  if (graph->CountOf(OpKind::kCall) == 0) return;
  FunctionNames names(*graph);
  absl::flat_hash_set<const Function*> called;
  for (Function* f : CalleesFirst(*graph)) {
    for (Op* call : CallsOf(f)) {
      CallInfo* info = call->As<CallInfo>();
      if (called.insert(info->callee).second) continue;
      info->callee = CloneWithCallees(graph, info->callee, &names);
    }
  }
}

void AddCallEdges(Graph* graph) {
  if (graph->CountOf(OpKind::kCall) == 0) return;
  for (Function* f : graph->functions()) {
    if (!f->is_entry) AddEdgesTo(graph, ArgsOf(f->body));
    for (Op* call : CallsOf(f)) AddEdgesTo(graph, ResultsOf(call));
  }
}

void SinkCallEdges(Graph* graph) {
  if (graph->CountOf(OpKind::kCall) == 0) return;
  for (Function* f : graph->functions()) {
    for (Op* call : CallsOf(f)) SinkEdgesOf(*graph, ResultsOf(call));
    if (f->is_entry) continue;
    for (Value* arg : f->body->args) SinkEdgesOf(*graph, {arg});
  }
}

void InlineCalls(Graph* graph) {
  if (graph->CountOf(OpKind::kCall) > 0) {
    // Callers first: each block goes to another function once.
    std::vector<Function*> functions = CalleesFirst(*graph);
    std::reverse(functions.begin(), functions.end());
    for (Function* f : functions) {
      for (Op* call : CallsOf(f)) InlineCall(graph, call);
    }
  }
  RemoveUnusedFunctions(graph);
}

}  // namespace tessera::sharding::graph
