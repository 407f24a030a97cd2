#include "tessera/target/program/collectives.h"

#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_bytes.h"

namespace tessera::target {

std::optional<Opcode> ReductionOf(const DeviceProgram& program, InstructionId id) {
  const auto called = program.module().called(id);
  if (called.empty()) return std::nullopt;
  const InstructionId root = program.module().computation(called[0]).root;
  const auto operands = program.operands(root);
  const auto is_parameter = [&](InstructionId operand) {
    return program.opcode(operand) == Opcode::kParameter;
  };
  if (operands.size() != 2 || operands[0] == operands[1]) return std::nullopt;
  if (!is_parameter(operands[0]) || !is_parameter(operands[1])) return std::nullopt;
  return program.opcode(root);
}

int64_t CollectiveDimension(const DeviceProgram& program, InstructionId id) {
  return hlo::GetDimension(program.module(), id).value_or(0);
}

int64_t ResultBytes(const DeviceProgram& program, InstructionId id) {
  return layout::DataBytes(program.shape(id));
}

}  // namespace tessera::target
