// dce: unused instructions and unreachable computations go.

#include <vector>

#include "tessera/target/passes/passes.h"

namespace tessera::target {

absl::Status RemoveDeadCode(Context& context) {
  DeviceProgram& program = context.program;
  for (const ComputationId c : program.Computations()) {
    const std::vector<InstructionId> list = program.module().computation(c).instructions;
    for (const InstructionId id : list) program.RemoveDead(id);
  }
  program.RemoveUnreachableComputations();
  return absl::OkStatus();
}

}  // namespace tessera::target
