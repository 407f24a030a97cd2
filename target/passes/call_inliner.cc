// call-inliner: the instructions of a callee in place of its call, callees first.
//
//   c = f32[8] call(x), to_apply=f        ->  n = f32[8] negate(x)
//
// Bodies of shard_maps are such calls. Cost: linear in what is copied; a computation that is called
// twice is copied twice.

#include "tessera/target/passes/call_inliner.h"

#include <vector>

#include "tessera/hlo/call_limits.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

void Inline(Context& context, InstructionId call) {
  DeviceProgram& program = context.program;
  const auto operands = program.operands(call);
  const std::vector<InstructionId> arguments(operands.begin(), operands.end());
  const ComputationId callee = program.module().called(call)[0];
  program.ReplaceUses(call, CopyInto(context, callee, program.computation(call), arguments));
  program.Remove(call);
}

}  // namespace

InstructionId CopyInto(Context& context, ComputationId callee, ComputationId caller,
                       absl::Span<const InstructionId> arguments) {
  DeviceProgram& program = context.program;
  const auto copies = CloneInstructions(program, callee, caller, arguments);
  for (const auto& [id, copy] : copies) {
    if (program.opcode(id) != Opcode::kParameter) context.origins.Copy(id, copy);
  }
  return copies.at(program.module().computation(callee).root);
}

absl::Status InlineCalls(Context& context) {
  DeviceProgram& program = context.program;
  const auto is_inlined = [&](InstructionId id) {
    return program.opcode(id) == Opcode::kCall && !program.IsPinned(id);
  };
  TESSERA_RETURN_IF_ERROR(
      hlo::CheckUnfolded(program.module(), is_inlined, "with each call inlined, the module"));
  for (const InstructionId id : AllInstructions(program)) {
    if (is_inlined(id)) Inline(context, id);
  }
  program.RemoveUnreachableComputations();
  return absl::OkStatus();
}

}  // namespace tessera::target
