// multiply(convert(p: pred[8]), x: f32[8])  ->  select(p, x, 0)

#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

bool IsOfTruths(const DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kConvert &&
         program.shape(program.operand(id, 0)).element_type() == layout::ElementType::kPred;
}

}  // namespace

InstructionId ChooseInPlaceOfProduct(DeviceProgram& program, InstructionId multiply) {
  const InstructionId a = program.operand(multiply, 0), b = program.operand(multiply, 1);
  const bool is_first = IsOfTruths(program, a);
  if (!is_first && !IsOfTruths(program, b)) return kNoId;
  const InstructionId truths = program.operand(is_first ? a : b, 0), x = is_first ? b : a;
  const layout::Shape shape = Resized(program.shape(multiply), program.shape(multiply).dims());
  const ComputationId c = program.computation(multiply);
  const InstructionId zero = program.AddConstant(c, Resized(shape, {}), "0");
  const InstructionId zeros = InEachElement(program, zero, shape);
  return program.Add(c, Opcode::kSelect, "select", shape, {truths, x, zeros});
}

}  // namespace tessera::target
