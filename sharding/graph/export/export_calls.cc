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
//
// This file has the first step; the others are in export_sharing.cc and export_call_results.cc.
// Linear in ops. Tested by the pairs.

#include <vector>

#include "tessera/sharding/graph/export.h"
#include "tessera/sharding/graph/export/sink_edges.h"
#include "tessera/sharding/graph/queries/function_names.h"
#include "tessera/sharding/graph/queries/manual_code.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::graph {
namespace {

Function* MakeFunction(Graph& graph, Op* named, ManualCode& manual, FunctionNames& names) {
  const NamedInfo& info = *named->As<NamedInfo>();
  Function* f = graph.AddFunction(names.Unique(info.name), named->blocks()[0]->source);
  f->original_name = info.name;
  const ManualCode::Around& around = manual.Of(named->block);
  f->manual_axes = around.axes;
  f->manual_mesh = around.mesh;
  graph.MakeBody(f, named);
  return f;
}

void NamedToFunction(Graph& graph, Op* named, ManualCode& manual, FunctionNames& names) {
  SinkEdgesOf(graph, ArgsOf(named->blocks()[0]));
  SinkEdgesOf(graph, ResultsOf(named));
  Function* f = MakeFunction(graph, named, manual, names);
  graph.SetKind(named, OpKind::kCall);
  graph.NewPayload<CallInfo>(named)->callee = f;
}

void SetResultShardings(Function* f) {
  const Op* ret = f->body->terminator();
  f->result_shardings.clear();
  for (int i = 0; i < ret->num_operands(); ++i) {
    f->result_shardings.push_back(ret->operand(i)->sharding());
  }
}

}  // namespace

void NamedToFunctions(Graph& graph) {
  std::vector<Op*> named;
  if (graph.CountOf(OpKind::kNamedComputation) > 0) {
    ForEachOpPostOrder(graph, [&](Op* op) {
      if (op->kind == OpKind::kNamedComputation) named.push_back(op);
    });
  }
  FunctionNames names(graph);
  ManualCode manual;
  for (Op* op : named) NamedToFunction(graph, op, manual, names);
  for (Function* f : graph.functions()) {
    if (!f->is_entry) SetResultShardings(f);
  }
}

}  // namespace tessera::sharding::graph
