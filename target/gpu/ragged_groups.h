// Rows in groups, once more for each group: rows of other groups are zeros.
//
//   RowsOfEachGroup(program, x: f32[64,4], {sizes: s32[8], 0, 0})
//       // f32[8,64,4] select(is_in_group, broadcast(x), 0)
//
// The sizes of the groups are numbers of the program. Cost: constant. Tested by ragged_dot_rewriter_test.cc.

#ifndef TESSERA_TARGET_GPU_RAGGED_GROUPS_H_
#define TESSERA_TARGET_GPU_RAGGED_GROUPS_H_

#include <cstdint>

#include "tessera/target/program/device_program.h"

namespace tessera::target {

// An array with the groups of another one's dimension `ragged` as a further dimension.
struct Grouping {
  InstructionId sizes = kNoId;
  int64_t group = 0;   // the new dimension
  int64_t ragged = 0;  // of the given array
};

InstructionId RowsOfEachGroup(DeviceProgram& program, InstructionId x, const Grouping& by);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_RAGGED_GROUPS_H_
