// convert(broadcast(x))                                 ->  broadcast(convert(x)), and so with what has one operand
// multiply(broadcast(x), broadcast(y)), alike           ->  broadcast(multiply(x, y))

#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {

InstructionId CalculateBeforeBroadcast(DeviceProgram& program, InstructionId id) {
  const InstructionId first = program.operand(id, 0);
  const IntList dimensions = DimensionsOf(program, first);
  const bool are_alike = absl::c_all_of(program.operands(id), [&](InstructionId operand) {
    return program.opcode(operand) == Opcode::kBroadcast &&
           DimensionsOf(program, operand) == dimensions;
  });
  if (!are_alike) return kNoId;
  std::vector<InstructionId> repeated;
  for (const InstructionId operand : program.operands(id)) {
    repeated.push_back(program.operand(operand, 0));
  }
  const layout::Shape shape = Resized(program.shape(id), program.shape(id).dims());
  const layout::Shape small = Resized(shape, program.shape(repeated[0]).dims());
  return AddBroadcast(program, program.Clone(id, repeated, small), shape, dimensions);
}

}  // namespace tessera::target
