// barrier-remover: what goes through an optimization barrier is itself.
//
//   b = (f32[8], f32[4]) opt-barrier(t)     ->  t in its place
//
// Barriers keep a gather that is repeated in the backward pass apart from the first; the final
// modules of TPUs have such gathers once.

#include <vector>

#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {

absl::Status RemoveBarriers(Context& context) {
  DeviceProgram& program = context.program;
  for (const ComputationId c : program.Computations()) {
    const std::vector<InstructionId> order = program.PostOrder(c);
    for (const InstructionId id : order) {
      if (program.opcode(id) != Opcode::kOptBarrier || program.IsPinned(id)) continue;
      program.ReplaceUses(id, program.operand(id, 0));
      program.RemoveDead(id);
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
