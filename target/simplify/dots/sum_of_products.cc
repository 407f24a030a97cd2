// add(multiply(a, c), multiply(b, c))  ->  multiply(add(a, b), c)
//
// Of integers always; of floats where each element of c is the same power of two, so that nothing
// rounds differently. What is summed over devices is added first then, and exchanged once
// (passes/sums/all_reduce_reassociate.cc): the mean losses of two layers of experts.

#include <cmath>

#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

bool IsPowerOfTwo(const DeviceProgram& program, InstructionId id) {
  int exponent = 0;
  const std::optional<double> number = FloatOf(program, id);
  return number.has_value() && std::abs(std::frexp(*number, &exponent)) == 0.5;
}

bool MayBeFactor(const DeviceProgram& program, InstructionId id) {
  const layout::ElementType type = program.shape(id).element_type();
  return layout::IsInteger(type) || IsPowerOfTwo(program, id);
}

// The other factor; kNoId where `factor` is none.
InstructionId OtherFactor(const DeviceProgram& program, InstructionId product,
                          InstructionId factor) {
  if (program.operand(product, 1) == factor) return program.operand(product, 0);
  return program.operand(product, 0) == factor ? program.operand(product, 1) : kNoId;
}

}  // namespace

InstructionId MultiplySum(DeviceProgram& program, InstructionId add) {
  const InstructionId left = program.operand(add, 0), right = program.operand(add, 1);
  if (program.opcode(left) != Opcode::kMultiply || program.opcode(right) != Opcode::kMultiply) {
    return kNoId;
  }
  for (const size_t k : {size_t{1}, size_t{0}}) {
    const InstructionId factor = program.operand(left, k);
    const InstructionId other = OtherFactor(program, right, factor);
    if (other == kNoId || !MayBeFactor(program, factor)) continue;
    const layout::Shape shape = Resized(program.shape(add), program.shape(add).dims());
    const ComputationId c = program.computation(add);
    const InstructionId sum =
        program.Add(c, Opcode::kAdd, "add", shape, {program.operand(left, 1 - k), other});
    return program.Add(c, Opcode::kMultiply, "multiply", shape, {sum, factor});
  }
  return kNoId;
}

}  // namespace tessera::target
