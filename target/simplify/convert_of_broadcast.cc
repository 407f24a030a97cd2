// convert(broadcast(x))  ->  broadcast(convert(x))

#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {

InstructionId ConvertBeforeBroadcast(DeviceProgram& program, InstructionId convert) {
  const InstructionId broadcast = program.operand(convert, 0);
  if (program.opcode(broadcast) != Opcode::kBroadcast) return kNoId;
  const layout::Shape shape = Resized(program.shape(convert), program.shape(convert).dims());
  const IntList dimensions = DimensionsOf(program, broadcast);
  const InstructionId x = AddConvert(program, program.operand(broadcast, 0), shape.element_type());
  return AddBroadcast(program, x, shape, dimensions);
}

}  // namespace tessera::target
