// Calls of functions, made transparent: a function that is called twice is copied, then each call
// becomes a named computation, a region that holds the callee's body.
//
//   y = call(x), to_apply=f     ->     y = named "f" (x) { (a) e = edge(a); ...; yield r }; edge(y)

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/passes/import/canonicalize.h"
#include "tessera/sharding/passes/prepare/edges.h"
#include "tessera/sharding/passes/prepare/prepare.h"
#include "tessera/sharding/passes/queries/function_names.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

// The mesh of the first sharding that is not of a single device; kNoMesh if there is none.
MeshId FirstMesh(const HloProgram& program, absl::Span<const ShardingId> shardings) {
  for (ShardingId id : shardings) {
    const TensorSharding* s = program.Find(id);
    if (s != nullptr && !program.meshes().mesh(s->mesh_id()).is_maximal()) return s->mesh_id();
  }
  return kNoMesh;
}

// Fills empty slots with fully open shardings; without any sharding on a mesh, empties all.
void FillOpen(HloProgram* program, absl::Span<Value* const> values) {
  std::vector<ShardingId> shardings;
  for (const Value* value : values) shardings.push_back(value->sharding());
  const MeshId mesh = FirstMesh(*program, shardings);
  for (Value* value : values) {
    if (mesh == kNoMesh) {
      value->set_sharding(kNoSharding);
    } else if (!value->has_sharding()) {
      value->set_sharding(
          program->shardings().Intern(TensorSharding::FullyOpen(mesh, value->rank())));
    }
  }
}

// A copy of `f` and of all that it calls.
Function* CloneWithCallees(HloProgram* program, const Function* f, FunctionNames* names) {
  Function* clone = program->CloneFunction(f, names->Unique(f->name));
  for (Op* call : CallsOf(clone)) {
    CallInfo* info = call->As<CallInfo>();
    info->callee = CloneWithCallees(program, info->callee, names);
  }
  return clone;
}

void InlineCall(HloProgram* program, Op* call) {
  Function* body_of = call->As<CallInfo>()->callee;
  std::vector<Value*> operands;
  std::vector<const layout::Shape*> shapes;
  for (const Use& use : call->operands) operands.push_back(use.value());
  for (const Value& result : call->results) shapes.push_back(&result.shape());
  OpHead head;
  head.kind = OpKind::kNamedComputation;
  head.source = call->source;
  Op* named = program->AddOp(head, operands, shapes, InsertPoint::Before(call));
  NamedInfo* info = program->NewPayload<NamedInfo>(named);
  info->name = body_of->original_name;
  FillOpen(program, body_of->body->args);
  program->AddBlock(named, body_of->body);
  std::vector<Value*> results;
  for (int i = 0; i < named->num_results(); ++i) {
    named->result(i)->set_sharding(call->result(i)->sharding());
    results.push_back(named->result(i));
  }
  program->Replace(call, results);
  AddBoundaryEdges(program, named);
}

}  // namespace

void TakeCalleeResultShardings(HloProgram* program) {
  if (program->CountOf(OpKind::kCall) == 0) return;
  ForEachOp(*program, [&](Op* op) {
    if (op->kind != OpKind::kCall) return;
    const bool has_own = std::any_of(op->results.begin(), op->results.end(),
                                     [](const Value& r) { return r.has_sharding(); });
    const auto& given = op->As<CallInfo>()->callee->result_shardings;
    const MeshId mesh = FirstMesh(*program, given);
    if (has_own || mesh == kNoMesh) return;
    for (size_t i = 0; i < given.size(); ++i) {
      Value& result = op->results[i];
      const TensorSharding open = TensorSharding::FullyOpen(mesh, result.rank());
      result.set_sharding(given[i] != kNoSharding ? given[i] : program->shardings().Intern(open));
    }
  });
}

void SeparateCallees(HloProgram* program) {
  if (program->CountOf(OpKind::kCall) == 0) return;
  FunctionNames names(*program);
  absl::flat_hash_set<const Function*> called;
  for (Function* f : CalleesFirst(*program)) {
    for (Op* call : CallsOf(f)) {
      CallInfo* info = call->As<CallInfo>();
      if (called.insert(info->callee).second) continue;
      info->callee = CloneWithCallees(program, info->callee, &names);
    }
  }
}

void AddCallEdges(HloProgram* program) {
  if (program->CountOf(OpKind::kCall) == 0) return;
  for (Function* f : program->functions()) {
    if (!f->is_entry) AddEdgesTo(program, ArgsOf(f->body));
    for (Op* call : CallsOf(f)) AddEdgesTo(program, ResultsOf(call));
  }
}

void SinkCallEdges(HloProgram* program) {
  if (program->CountOf(OpKind::kCall) == 0) return;
  for (Function* f : program->functions()) {
    for (Op* call : CallsOf(f)) SinkEdgesOf(*program, ResultsOf(call));
    if (f->is_entry) continue;
    for (Value* arg : f->body->args) SinkEdgesOf(*program, {arg});
  }
}

void InlineCalls(HloProgram* program) {
  if (program->CountOf(OpKind::kCall) > 0) {
    // Callers first: each block moves to another function once.
    std::vector<Function*> functions = CalleesFirst(*program);
    std::reverse(functions.begin(), functions.end());
    for (Function* f : functions) {
      for (Op* call : CallsOf(f)) InlineCall(program, call);
    }
  }
  RemoveUnusedFunctions(program);
}

}  // namespace tessera::sharding::passes
