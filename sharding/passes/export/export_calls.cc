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

#include "tessera/sharding/passes/export/export.h"
#include "tessera/sharding/passes/prepare/edges.h"
#include "tessera/sharding/passes/queries/function_names.h"
#include "tessera/sharding/passes/queries/manual_code.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

Function* MakeFunction(HloProgram& program, Op* named, ManualCode& manual, FunctionNames& names) {
  const NamedInfo& info = *named->As<NamedInfo>();
  Function* f = program.AddFunction(names.Unique(info.name), named->blocks()[0]->source);
  f->original_name = info.name;
  const ManualCode::Around& around = manual.Of(named->block);
  f->manual_axes = around.axes;
  f->manual_mesh = around.mesh;
  program.MakeBody(f, named);
  return f;
}

void NamedToFunction(HloProgram& program, Op* named, ManualCode& manual, FunctionNames& names) {
  SinkEdgesOf(program, ArgsOf(named->blocks()[0]));
  SinkEdgesOf(program, ResultsOf(named));
  Function* f = MakeFunction(program, named, manual, names);
  program.SetKind(named, OpKind::kCall);
  program.NewPayload<CallInfo>(named)->callee = f;
}

void SetResultShardings(Function* f) {
  const Op* ret = f->body->terminator();
  f->result_shardings.clear();
  for (int i = 0; i < ret->num_operands(); ++i) {
    f->result_shardings.push_back(ret->operand(i)->sharding());
  }
}

}  // namespace

void NamedToFunctions(HloProgram& program) {
  std::vector<Op*> named;
  if (program.CountOf(OpKind::kNamedComputation) > 0) {
    ForEachOpPostOrder(program, [&](Op* op) {
      if (op->kind == OpKind::kNamedComputation) named.push_back(op);
    });
  }
  FunctionNames names(program);
  ManualCode manual;
  for (Op* op : named) NamedToFunction(program, op, manual, names);
  for (Function* f : program.functions()) {
    if (!f->is_entry) SetResultShardings(f);
  }
}

}  // namespace tessera::sharding::passes
