// add(x, dynamic-update-slice(zeros, u, i, j))
//   ->  dynamic-update-slice(x, add(dynamic-slice(x, i, j), u), i, j)
//
// The gradient of a slice is zeros with an update. Added to what a loop carries, it changes only its own place there;
// a sum over devices in it is then one that while-loop-all-reduce-code-motion finds. Tested by simplify_test.cc, and by
// a program that the compiler of GPUs simplified.

#include <string>
#include <vector>

#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

bool IsUpdateOfZeros(const DeviceProgram& program, InstructionId id, InstructionId add) {
  return program.opcode(id) == Opcode::kDynamicUpdateSlice && program.OnlyUser(id) == add &&
         IsZero(program, program.operand(id, 0));
}

// With the sharding of `x`, if that has one.
InstructionId SliceAt(DeviceProgram& program, InstructionId x, InstructionId update) {
  const layout::Shape shape = program.shape(program.operand(update, 1));
  const InstructionId slice =
      AddDynamicSlice(program, x, program.operands(update).subspan(2), shape);
  const auto sharding = program.module().FindAttribute(x, hlo::AttributeName::kSharding);
  if (sharding.has_value()) {
    program.SetAttribute(slice, hlo::AttributeName::kSharding, std::string(*sharding));
  }
  return slice;
}

}  // namespace

InstructionId AddInPlaceOfUpdate(DeviceProgram& program, InstructionId add) {
  const InstructionId a = program.operand(add, 0), b = program.operand(add, 1);
  const bool is_a = IsUpdateOfZeros(program, a, add);
  if (a == b || (!is_a && !IsUpdateOfZeros(program, b, add))) return kNoId;
  const InstructionId update = is_a ? a : b, x = is_a ? b : a;
  const InstructionId slice = SliceAt(program, x, update);
  const InstructionId u = program.operand(update, 1);
  const layout::Shape part = program.shape(u), whole = program.shape(add);
  std::vector<InstructionId> operands(program.operands(update).begin(),
                                      program.operands(update).end());
  operands[0] = x;
  operands[1] = program.Add(program.computation(add), Opcode::kAdd, "add", part, {slice, u});
  return program.Clone(update, operands, whole);
}

}  // namespace tessera::target
