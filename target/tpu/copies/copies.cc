#include "tessera/target/tpu/copies/copies.h"

#include <string>

#include "tessera/hlo/attributes.h"

namespace tessera::target {

InstructionId AddCopy(DeviceProgram& program, InstructionId of, absl::string_view name) {
  const InstructionId copy = program.Add(program.computation(of), Opcode::kReverse,
                                         std::string(name), program.shape(of), {of});
  program.SetAttribute(copy, hlo::AttributeName::kDimensions, "{}");
  return copy;
}

void PutCopyAfter(DeviceProgram& program, InstructionId id, absl::string_view name) {
  const InstructionId copy = AddCopy(program, id, name);
  program.ReplaceUses(id, copy);
  program.SetOperand(copy, 0, id);
}

}  // namespace tessera::target
