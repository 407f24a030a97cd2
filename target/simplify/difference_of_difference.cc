// subtract(subtract(4, i), 1)  ->  subtract(3, i), of integers
//
// The index of a scan that runs backwards.

#include "absl/strings/str_cat.h"
#include "tessera/hlo/literal.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

std::optional<int64_t> NumberOf(const DeviceProgram& program, InstructionId id) {
  const bool is_number = program.opcode(id) == Opcode::kConstant && program.shape(id).rank() == 0 &&
                         layout::IsInteger(program.shape(id).element_type());
  return is_number ? hlo::SplatInt(program.module(), id) : std::nullopt;
}

}  // namespace

InstructionId MergeDifferences(DeviceProgram& program, InstructionId subtract) {
  const InstructionId inner = program.operand(subtract, 0);
  if (program.opcode(inner) != Opcode::kSubtract) return kNoId;
  const auto from = NumberOf(program, program.operand(inner, 0));
  const auto less = NumberOf(program, program.operand(subtract, 1));
  int64_t number = 0;
  if (!from.has_value() || !less.has_value() || __builtin_sub_overflow(*from, *less, &number)) {
    return kNoId;
  }
  const layout::Shape shape = Resized(program.shape(subtract), {});
  const ComputationId c = program.computation(subtract);
  const InstructionId constant = program.AddConstant(c, shape, absl::StrCat(number));
  return program.Add(c, Opcode::kSubtract, "subtract", shape,
                     {constant, program.operand(inner, 1)});
}

}  // namespace tessera::target
