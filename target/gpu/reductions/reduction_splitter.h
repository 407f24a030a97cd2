// reduction-splitter: dimensions that are apart are reduced in two steps, the largest one first.
//
//   f32[4,32] reduce(x: f32[4,8192,32,8]), dimensions={1,3}      ->  over 1, then over the other one
//
// Where the kernel would be one loop over the result, which XLA's tiles of rows and columns do not fit. Dimensions
// side by side are one.
//
// Cost: linear in the program. Tested by reduction_splitter_test.cc.

#ifndef TESSERA_TARGET_GPU_REDUCTIONS_REDUCTION_SPLITTER_H_
#define TESSERA_TARGET_GPU_REDUCTIONS_REDUCTION_SPLITTER_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status SplitReductions(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_REDUCTIONS_REDUCTION_SPLITTER_H_
