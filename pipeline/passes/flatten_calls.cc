// Gives every caller a computation of its own.
//
// Computations are visited callees first; the first caller keeps the computation, every further
// mention gets a clone of it and of all that it calls:
//
//   entry: call(f), call(f)     ->     entry: call(f), call(f.clone)
//
// Who calls whom is looked up once, before anything changes. That stays right: what is cloned for c
// are c and its callees, and these clones call one another, never a computation that is still to be
// visited. Linear in the size of the result. Tested by passes_test.cc.

#include <algorithm>
#include <vector>

#include "tessera/pipeline/passes/passes.h"

namespace tessera::pipeline::passes {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;

// The instructions that name each computation, in order of the text.
std::vector<std::vector<InstructionId>> CallersOfEach(const hlo::Module& module) {
  std::vector<std::vector<InstructionId>> callers(module.num_computations());
  for (ComputationId c = 0; c < module.num_computations(); ++c) {
    if (module.computation(c).removed) continue;
    for (InstructionId id : module.computation(c).instructions) {
      for (ComputationId callee : module.called(id)) {
        if (callers[callee].empty() || callers[callee].back() != id) callers[callee].push_back(id);
      }
    }
  }
  return callers;
}

ComputationId CloneWithCallees(hlo::Builder* builder, ComputationId c) {
  hlo::Module& module = builder->module();
  const ComputationId clone = builder->CloneComputation(c, "clone");
  for (InstructionId id : std::vector<InstructionId>(module.computation(clone).instructions)) {
    std::vector<ComputationId> called(module.called(id).begin(), module.called(id).end());
    if (called.empty()) continue;
    for (ComputationId& callee : called) callee = CloneWithCallees(builder, callee);
    module.SetCalled(id, called);
  }
  return clone;
}

void GiveClones(hlo::Builder* builder, InstructionId caller, ComputationId c) {
  hlo::Module& module = builder->module();
  std::vector<ComputationId> called(module.called(caller).begin(), module.called(caller).end());
  for (ComputationId& callee : called) {
    if (callee == c) callee = CloneWithCallees(builder, c);
  }
  module.SetCalled(caller, called);
}

}  // namespace

bool FlattenCalls(hlo::Builder* builder) {
  hlo::Module& module = builder->module();
  const std::vector<std::vector<InstructionId>> callers = CallersOfEach(module);
  bool changed = false;
  for (ComputationId c : hlo::ComputationPostOrder(module)) {
    bool is_taken = false;
    for (InstructionId caller : callers[c]) {
      const auto called = module.called(caller);
      const bool once = std::count(called.begin(), called.end(), c) == 1;
      if (once && !is_taken) {
        is_taken = true;
        continue;
      }
      is_taken = true;
      GiveClones(builder, caller, c);
      changed = true;
    }
  }
  return changed;
}

}  // namespace tessera::pipeline::passes
