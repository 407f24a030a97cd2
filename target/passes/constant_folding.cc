#include "tessera/target/passes/constant_folding.h"

#include <cstdint>
#include <string>

#include "absl/algorithm/container.h"
#include "tessera/hlo/literal.h"
#include "tessera/hlo/number_format.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"

namespace tessera::target {
namespace {

using layout::ElementType;

bool KeepsFloat(ElementType from, uint64_t bits, ElementType to) {
  const double value = hlo::DecodeFloat(from, bits);
  uint64_t cut = 0;
  return hlo::EncodeFloat(to, value, &cut) && hlo::DecodeFloat(to, cut) == value;
}

bool IsConvertOfConstant(const DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kConvert && !program.IsPinned(id) &&
         program.opcode(program.operand(id, 0)) == Opcode::kConstant;
}

// The elements of a constant that KeepsElements(), as that type writes them.
std::string LiteralAs(const DeviceProgram& program, InstructionId constant,
                      const layout::Shape& shape) {
  const bool are_floats = layout::IsFloat(program.shape(constant).element_type()) &&
                          layout::IsFloat(shape.element_type());
  if (are_floats) return std::string(program.module().LiteralText(constant));
  hlo::Literal zeros;
  zeros.shape = shape;
  return hlo::PrintLiteral(zeros);
}

}  // namespace

bool KeepsElements(const DeviceProgram& program, InstructionId constant, ElementType type) {
  const auto literal =
      hlo::ParseLiteral(program.module().LiteralText(constant), program.shape(constant));
  if (!literal.ok() || literal->elided) return false;
  const ElementType own = program.shape(constant).element_type();
  const bool are_floats = layout::IsFloat(own) && layout::IsFloat(type);
  return absl::c_all_of(literal->bits, [&](uint64_t bits) {
    return bits == 0 || (are_floats && KeepsFloat(own, bits, type));
  });
}

absl::Status FoldConverts(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (!IsConvertOfConstant(program, id)) continue;
    const InstructionId constant = program.operand(id, 0);
    const ElementType type = program.shape(id).element_type();
    if (!KeepsElements(program, constant, type)) continue;
    const layout::Shape shape = Retyped(program.shape(constant), type);
    program.ReplaceUses(id, program.AddConstant(program.computation(id), shape,
                                                LiteralAs(program, constant, shape)));
    program.RemoveDead(id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
