#include "tessera/sharding/passes/import/canonicalize.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/opcode.h"
#include "tessera/sharding/passes/import/build/loops.h"
#include "tessera/sharding/passes/import/manual_cleanup.h"
#include "tessera/sharding/passes/queries/purity.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

bool IsIdentityReshape(const Op& op) {
  if (op.kind != OpKind::kHlo || op.part != OpPart::kWhole) return false;
  if (op.opcode != hlo::Opcode::kReshape) return false;
  const layout::Shape& from = op.operand(0)->shape();
  return from.dims() == op.result()->shape().dims();
}

bool Simplify(HloProgram* program, Op* op) {
  if (op->kind == OpKind::kManualComputation) return SimplifyManual(program, op);
  if (!IsIdentityReshape(*op)) return false;
  program->Replace(op, {op->operand(0)});
  return true;
}

// Visits each op once; the next round visits the results of rewrites. Dead ops are removed in one
// sweep, so a round without a simplification is the last.
bool SimplifyAll(HloProgram* program, Block* block) {
  bool changed = RemoveLoopInvariants(program, block);
  ForEachOp(block, [&](Op* op) { changed |= Simplify(program, op); });
  return changed;
}

void Reach(Function* f, absl::flat_hash_set<Function*>* reached) {
  if (!reached->insert(f).second) return;
  ForEachOp(f->body, [&](Op* op) {
    if (op->kind == OpKind::kCall) Reach(op->As<CallInfo>()->callee, reached);
  });
}

}  // namespace

void Canonicalize(HloProgram* program) {
  for (Function* f : program->functions()) {
    do {
      EraseDeadOps(program, f->body, [](const Op*) {});
    } while (SimplifyAll(program, f->body));
  }
}

void RemoveUnusedFunctions(HloProgram* program) {
  if (program->functions().size() == 1) return;
  absl::flat_hash_set<Function*> reached;
  Reach(program->entry(), &reached);
  auto& functions = program->functions();
  functions.erase(std::remove_if(functions.begin(), functions.end(),
                                 [&](Function* f) { return !reached.contains(f); }),
                  functions.end());
}

}  // namespace tessera::sharding::passes
