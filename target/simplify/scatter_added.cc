// add(scatter-add(a, i, u), y)  ->  scatter-add(add(a, y), i, u)
//
// Where a is zeros, y takes its place. A sum of two scatter-adds stays.

#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

bool IsScatterAdd(const DeviceProgram& program, InstructionId id, InstructionId add) {
  if (program.opcode(id) != Opcode::kScatter || program.operands(id).size() != 3) return false;
  if (program.OnlyUser(id) != add || program.module().called(id).size() != 1) return false;
  const InstructionId root = program.module().computation(program.module().called(id)[0]).root;
  return program.opcode(root) == Opcode::kAdd &&
         program.opcode(program.operand(root, 0)) == Opcode::kParameter &&
         program.opcode(program.operand(root, 1)) == Opcode::kParameter;
}

InstructionId Sum(DeviceProgram& program, InstructionId a, InstructionId b) {
  if (IsZero(program, a)) return b;
  if (IsZero(program, b)) return a;
  const layout::Shape shape = program.shape(a);
  return program.Add(program.computation(a), Opcode::kAdd, "add", shape, {a, b});
}

}  // namespace

InstructionId AddBeforeScatter(DeviceProgram& program, InstructionId add) {
  const InstructionId a = program.operand(add, 0), b = program.operand(add, 1);
  const bool of_a = IsScatterAdd(program, a, add), of_b = IsScatterAdd(program, b, add);
  if (of_a == of_b) return kNoId;
  const InstructionId scatter = of_a ? a : b, other = of_a ? b : a;
  const InstructionId start = Sum(program, program.operand(scatter, 0), other);
  const layout::Shape shape = program.shape(scatter);
  return program.Clone(scatter, {start, program.operand(scatter, 1), program.operand(scatter, 2)},
                       shape);
}

}  // namespace tessera::target
