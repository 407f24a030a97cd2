// reduce-window-rewriter: sums of all elements up to each one are made in rows of 16.
//
// Windows of a vector become those of a matrix with one column. The rows are those of simplify/prefix_rows.h.
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
