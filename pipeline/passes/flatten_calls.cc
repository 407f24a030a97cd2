#include <algorithm>
#include <vector>

#include "tessera/pipeline/passes/passes.h"

namespace tessera::pipeline::passes {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;

// The instructions that name `c`, in order of the text.
std::vector<InstructionId> CallersOf(const hlo::Module& module, ComputationId c) {
  std::vector<InstructionId> callers;
  for (ComputationId other = 0; other < module.num_computations(); ++other) {
    if (module.computation(other).removed) continue;
    for (InstructionId id : module.computation(other).instructions) {
      const auto called = module.called(id);
      if (std::find(called.begin(), called.end(), c) != called.end()) callers.push_back(id);
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
  bool changed = false;
  for (ComputationId c : hlo::ComputationPostOrder(module)) {
    bool is_taken = false;
    for (InstructionId caller : CallersOf(module, c)) {
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
