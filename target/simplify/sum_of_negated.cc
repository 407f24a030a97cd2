// f32[8] reduce(negate(x), 0)  ->  negate(reduce(x, 0)); of floats

#include "tessera/layout/element_type.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {

InstructionId NegateSum(DeviceProgram& program, InstructionId reduce) {
  const InstructionId negated = program.operand(reduce, 0), start = program.operand(reduce, 1);
  if (program.opcode(negated) != Opcode::kNegate || !IsSum(program, reduce)) return kNoId;
  const layout::Shape shape = program.shape(reduce);
  if (!layout::IsFloat(shape.element_type())) return kNoId;
  const InstructionId sum = program.Clone(reduce, {program.operand(negated, 0), start}, shape);
  return program.Add(program.computation(reduce), Opcode::kNegate, "negate", shape, {sum});
}

}  // namespace tessera::target
