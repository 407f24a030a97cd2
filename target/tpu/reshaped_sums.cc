// reshape(all-reduce(x))  ->  all-reduce(reshape(x))
//
// Where nothing else reads the sum. What a device keeps of a sum is then cut in the shape in which it is read, as the
// part of a reduce-scatter is. In 75 modules that the compiler of TPUs partitioned, no all-reduce has a reshape as its
// only user.

#include <vector>

#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {

absl::Status ReshapeBeforeSums(Context& context) {
  DeviceProgram& program = context.program;
  for (const ComputationId c : program.Computations()) {
    const std::vector<InstructionId> order = program.PostOrder(c);
    for (const InstructionId sum : order) {
      if (program.opcode(sum) != Opcode::kAllReduce || program.operands(sum).size() != 1) continue;
      const InstructionId reshape = program.OnlyUser(sum);
      if (reshape == kNoId || program.opcode(reshape) != Opcode::kReshape) continue;
      if (program.IsPinned(sum) || program.IsPinned(reshape)) continue;
      const layout::Shape shape = program.shape(reshape);
      const InstructionId reshaped = AddReshape(program, program.operand(sum, 0), shape);
      const InstructionId made = program.Clone(sum, {reshaped}, shape);
      context.origins.Set(/*pass=*/"", program, made, {sum});
      program.ReplaceUses(reshape, made);
      program.RemoveDead(reshape);
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
