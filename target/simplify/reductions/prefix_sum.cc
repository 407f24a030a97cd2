// reduce-window(x[16,512]), window={size=1x512 pad=0_0x511_0}, the sum of all elements up to each one
//   ->  in rows of 128 (prefix_rows.h)
//
// On TPUs, for more than 128 elements.

#include "tessera/target/simplify/prefix_rows.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {

InstructionId SumInRows(DeviceProgram& program, InstructionId window) {
  return PrefixInRows(program, window, {128});
}

}  // namespace tessera::target
