// Checks of the whole module: the schedule, which computations may call which, and that all-reduces
// agree on their layouts. Each check walks the module once.

#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/hlo/verify/verifier_rules.h"

namespace tessera::hlo {
namespace {

// In a scheduled module the list of instructions is the schedule: what one needs comes first.
void CheckSchedule(const Module& module, ComputationId c, std::vector<bool>& done,
                   const Reporter& report) {
  for (InstructionId id : module.computation(c).instructions) {
    for (const auto needs : {module.operands(id), module.control_predecessors(id)}) {
      for (InstructionId need : needs) {
        if (done[need]) continue;
        report(id, Mismatch("is scheduled before '", module.instruction(need).name,
                            "', which it needs"));
      }
    }
    done[id] = true;
  }
}

// The body of a fusion is no part of the schedule; nothing but a fusion may be its caller, and the
// entry has none. A callee runs on the thread of its caller, unless that starts another one.
absl::Status CheckCaller(const Module& module, InstructionId id, ComputationId callee) {
  const Computation& c = module.computation(callee);
  const Opcode opcode = module.instruction(id).opcode;
  if (callee == module.entry_id()) return Mismatch("calls the entry");
  const Computation& caller = module.computation(module.instruction(id).computation);
  if (opcode != Opcode::kAsyncStart && c.execution_thread != caller.execution_thread) {
    return Mismatch("runs on thread '", caller.execution_thread, "' but calls '", c.name,
                    "', which runs on '", c.execution_thread, "'");
  }
  if (opcode != Opcode::kAsyncStart) return absl::OkStatus();
  for (InstructionId inner : c.instructions) {
    if (inner == c.root || module.instruction(inner).opcode == Opcode::kParameter) continue;
    return Mismatch("calls '", c.name, "', which holds '", module.instruction(inner).name,
                    "' beside its parameters and root");
  }
  return absl::OkStatus();
}

// All all-reduces of a module constrain their layouts, or none.
class ConstraintCheck {
 public:
  absl::Status Check(const Module& module, InstructionId id) {
    const bool constrained = GetBool(module, id, AttributeName::kConstrainLayout).value_or(false);
    if (first_ == kNoId) {
      first_ = id;
      constrained_ = constrained;
    }
    if (constrained == constrained_) return absl::OkStatus();
    return Mismatch("constrain_layout is ", constrained ? "true" : "false", " here and not in '",
                    module.instruction(first_).name, "'; all all-reduces must agree");
  }

 private:
  InstructionId first_ = kNoId;
  bool constrained_ = false;
};

}  // namespace

bool IsAllReduce(Opcode opcode) {
  return opcode == Opcode::kAllReduce || opcode == Opcode::kAllReduceStart;
}

void CheckModule(const Module& module, const CallSites& sites,
                 absl::Span<const InstructionId> all_reduces, const Reporter& report) {
  std::vector<bool> is_fused(module.num_computations());
  for (InstructionId id : sites.all()) {
    for (ComputationId callee : module.called(id)) {
      if (module.instruction(id).opcode == Opcode::kFusion) is_fused[callee] = true;
      const absl::Status status = CheckCaller(module, id, callee);
      if (!status.ok()) report(id, status);
    }
  }
  ConstraintCheck constraints;
  for (InstructionId id : all_reduces) report(id, constraints.Check(module, id));
  if (!module.header().is_scheduled) return;
  std::vector<bool> done(module.num_instructions());
  for (ComputationId c = 0; c < module.num_computations(); ++c) {
    if (!is_fused[c] && !module.computation(c).removed) CheckSchedule(module, c, done, report);
  }
}

}  // namespace tessera::hlo
