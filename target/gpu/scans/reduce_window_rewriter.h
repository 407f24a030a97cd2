// reduce-window-rewriter: sums of all elements up to each one are made in rows of 16.
//
//   reduce-window(x: f32[8,1000]), window={size=1x1000 pad=0_0x999_0}
//     ->  rows = reduce-window(reshape(pad(x)) of [8,63,16]) with windows of 16
//         front = what the rows in front of each row add up to: the same of rows[:,:,15], which are
//                 more than 16 again; of 16 or less it is one reduce-window with one element more
//         slice(reshape(rows + broadcast(front)) of [8,1008])
//
// For any operation that takes two values, also from the end to the front, where a row's first element is what it
// adds up to. The dimension is exchanged with the last one. Windows of a vector become those of a
// matrix with one column.
//
// Cost: linear in the program. Tested by scans_test.cc.

#ifndef TESSERA_TARGET_GPU_SCANS_REDUCE_WINDOW_REWRITER_H_
#define TESSERA_TARGET_GPU_SCANS_REDUCE_WINDOW_REWRITER_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status RewriteReduceWindows(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_SCANS_REDUCE_WINDOW_REWRITER_H_
