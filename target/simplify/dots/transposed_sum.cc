// transpose(all-reduce(x))  ->  all-reduce(transpose(x))
//
// Of a sum in the body of a shard_map that nothing else reads. Sums of one array, some of them transposed, are one
// all-reduce then.

#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {

InstructionId TransposeBeforeAllReduce(DeviceProgram& program, InstructionId transpose) {
  const InstructionId sum = program.operand(transpose, 0);
  if (program.opcode(sum) != Opcode::kAllReduce || program.operands(sum).size() != 1 ||
      program.OnlyUser(sum) != transpose) {
    return kNoId;
  }
  const layout::Shape shape = program.shape(transpose);
  const InstructionId moved = program.Clone(transpose, {program.operand(sum, 0)}, shape);
  return program.Clone(sum, {moved}, shape);
}

}  // namespace tessera::target
