// divide(x: f32[8], 32)  ->  multiply(x, 0.03125), of floats
//
// Also where 3 divides: 1/3 is rounded, as in XLA.

#include <cmath>
#include <string>

#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

// 1 divided by it, as the text of a constant; empty where that is no number.
std::string ReciprocalOf(const DeviceProgram& program, InstructionId constant) {
  const layout::ElementType type = program.shape(constant).element_type();
  const std::optional<double> number = FloatOf(program, constant);
  if (!number.has_value() || !std::isfinite(1 / *number)) return "";
  return FloatText(type, 1 / *number);
}

}  // namespace

InstructionId MultiplyByReciprocal(DeviceProgram& program, InstructionId divide) {
  const std::string reciprocal = ReciprocalOf(program, program.operand(divide, 1));
  if (reciprocal.empty()) return kNoId;
  const layout::Shape shape = Resized(program.shape(divide), program.shape(divide).dims());
  const ComputationId c = program.computation(divide);
  const InstructionId constant = program.AddConstant(c, Resized(shape, {}), reciprocal);
  const InstructionId factor = InEachElement(program, constant, shape);
  return program.Add(c, Opcode::kMultiply, "multiply", shape, {program.operand(divide, 0), factor});
}

}  // namespace tessera::target
