// Prefixes of more than a row are made in rows, as reduce-window-rewriter makes them.
//
//   reduce-window(x: f32[8,1000]), window={size=1x1000 pad=0_0x999_0}, in rows of 16
//     ->  rows = reduce-window(reshape(pad(x)) of [8,63,16]) with windows of 16
//         front = what the rows in front of each row add up to: the same of rows[:,:,15], which are
//                 more than 16 again; of 16 or less it is one reduce-window with one element more
//         slice(reshape(rows + broadcast(front)) of [8,1008])
//
// For any operation that takes two values, also from the end to the front, where a row's first element is what it
// adds up to. The dimension is exchanged with the last one.
//
// Tested by gpu/scans/scans_test.cc, for rows of 16, and by simplify_test.cc and tpu_rules_test.cc, for 128.

#ifndef TESSERA_TARGET_SIMPLIFY_PREFIX_ROWS_H_
#define TESSERA_TARGET_SIMPLIFY_PREFIX_ROWS_H_

#include <cstdint>

#include "tessera/target/program/device_program.h"

namespace tessera::target {

struct PrefixRows {
  int64_t length = 0;
  bool vectors_are_matrices = false;  // windows of a vector are those of a matrix with one column
};

// The replacement of a reduce-window of prefixes; kNoId for other windows, and where there is one row only.
InstructionId PrefixInRows(DeviceProgram& program, InstructionId window, const PrefixRows& rows);

// A reduce-window of a vector as that of a matrix with one column.
InstructionId VectorAsMatrix(DeviceProgram& program, InstructionId window);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SIMPLIFY_PREFIX_ROWS_H_
