// pad(x[1], 0), padding=0_1_1  ->  pad(x, 0), padding=0_1: there is nothing between one element
//
// The compiler of TPUs leaves the padding of a slice as it is, so that its partitioner exchanges more.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {

InstructionId RemoveInteriorPadding(DeviceProgram& program, InstructionId pad) {
  const layout::Shape from = program.shape(program.operand(pad, 0));
  std::vector<hlo::PaddingDimension> padding = hlo::GetPadding(program.module(), pad);
  bool is_changed = false;
  for (size_t d = 0; d < padding.size(); ++d) {
    const bool is_one = from.dim(static_cast<int64_t>(d)) == 1 && padding[d].interior != 0;
    if (is_one) padding[d].interior = 0;
    is_changed |= is_one;
  }
  if (!is_changed) return kNoId;
  return PadAs(program, pad, padding, program.shape(pad));
}

InstructionId RemoveInteriorPaddingOfComputed(DeviceProgram& program, InstructionId pad) {
  if (program.opcode(program.operand(pad, 0)) == Opcode::kSlice) return kNoId;
  return RemoveInteriorPadding(program, pad);
}

}  // namespace tessera::target
