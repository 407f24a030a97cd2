// algsimp, as far as it removes what changes nothing: passes look at neighbours, and constraints of
// the user leave copies between them.
//
//   c = f32[8] copy(x)              ->  x in its place
//   r = f32[8] reshape(x: f32[8])   ->  x in its place; a convert to the same type likewise
//   r = reshape(reshape(x))         ->  reshape(x)
//   c = convert(convert(x: bf16) to f32) to bf16      ->  x in its place
//
// Later, remove-no-op-reduce-precision-algebraic-simplifier:
//
//   p = reduce-precision(x: bf16) to eight bits of exponent and seven of mantissa      ->  x in its place

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/number_format.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/program/walk.h"

namespace tessera::target {
namespace {

using layout::ElementType;

constexpr Opcode kMayChangeNothing[] = {Opcode::kConvert, Opcode::kCopy, Opcode::kReshape};

bool ChangesNothing(const DeviceProgram& program, InstructionId id) {
  if (!absl::c_linear_search(kMayChangeNothing, program.opcode(id))) return false;
  return !program.IsPinned(id) &&
         program.shape(id).WithoutLayout() == program.shape(program.operand(id, 0)).WithoutLayout();
}

bool KeepsPrecision(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) != Opcode::kReducePrecision || program.IsPinned(id)) return false;
  const hlo::FloatFormat& format = hlo::FormatOf(program.shape(id).element_type());
  const hlo::Module& module = program.module();
  return format.exponent_bits == hlo::GetInt(module, id, hlo::AttributeName::kExponentBits) &&
         format.mantissa_bits == hlo::GetInt(module, id, hlo::AttributeName::kMantissaBits);
}

bool IsReshapedAgain(const DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kReshape && !program.IsPinned(id) &&
         program.opcode(program.operand(id, 0)) == Opcode::kReshape;
}

// XLA lists the types that another one holds; those of the same kind of number with fewer bits are among them.
bool Holds(ElementType wide, ElementType narrow) {
  const bool same_kind = (layout::IsFloat(wide) && layout::IsFloat(narrow)) ||
                         (layout::IsInteger(wide) && layout::IsInteger(narrow));
  return same_kind && layout::BitWidth(wide) > layout::BitWidth(narrow);
}

bool IsConvertedBack(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) != Opcode::kConvert || program.IsPinned(id)) return false;
  const InstructionId wide = program.operand(id, 0);
  if (program.opcode(wide) != Opcode::kConvert) return false;
  const ElementType type = program.shape(program.operand(wide, 0)).element_type();
  return type == program.shape(id).element_type() &&
         Holds(program.shape(wide).element_type(), type);
}

}  // namespace

absl::Status RemoveNoOps(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (IsReshapedAgain(program, id)) {
      const InstructionId after = program.operand(id, 0);
      program.SetOperand(id, 0, program.operand(after, 0));
      program.RemoveDead(after);
    }
    if (IsConvertedBack(program, id)) {
      const InstructionId wide = program.operand(id, 0);
      program.SetOperand(id, 0, program.operand(wide, 0));
      program.RemoveDead(wide);
    }
    if (!ChangesNothing(program, id)) continue;
    program.ReplaceUses(id, program.operand(id, 0));
    program.RemoveDead(id);
  }
  return absl::OkStatus();
}

absl::Status RemoveNoOpReducePrecision(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (!KeepsPrecision(program, id)) continue;
    program.ReplaceUses(id, program.operand(id, 0));
    program.RemoveDead(id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
