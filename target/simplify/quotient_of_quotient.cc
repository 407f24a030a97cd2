// divide(divide(a, b), c)  ->  divide(a, multiply(b, c)), of floats
//
// The step of Adam: a moment by its correction and by a root.

#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {

InstructionId DivideOnce(DeviceProgram& program, InstructionId divide) {
  const InstructionId inner = program.operand(divide, 0);
  const layout::Shape shape = Resized(program.shape(divide), program.shape(divide).dims());
  if (program.opcode(inner) != Opcode::kDivide || !layout::IsFloat(shape.element_type())) {
    return kNoId;
  }
  const ComputationId c = program.computation(divide);
  const InstructionId divisor =
      program.Add(c, Opcode::kMultiply, "multiply", shape,
                  {program.operand(inner, 1), program.operand(divide, 1)});
  return program.Add(c, Opcode::kDivide, "divide", shape, {program.operand(inner, 0), divisor});
}

}  // namespace tessera::target
