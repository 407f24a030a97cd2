// select_and_scatter_expander, scatter_simplifier and scatter-slice-simplifier: how the gradient of a max-pool becomes a scatter,
// and the form that scatters have.
//
//   TESSERA_RETURN_IF_ERROR(ExpandSelectAndScatters(context));
//   TESSERA_RETURN_IF_ERROR(SimplifyScatters(context));
//   TESSERA_RETURN_IF_ERROR(SliceBeforeScatters(context));     // passes (target/pass.h)
//
// Tested by scatters_test.cc, and by the real compiler's modules (recorded_passes_test.cc).

#ifndef TESSERA_TARGET_GPU_SCATTERS_SCATTER_PASSES_H_
#define TESSERA_TARGET_GPU_SCATTERS_SCATTER_PASSES_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status ExpandSelectAndScatters(Context& context);

// Indices have one dimension beside the numbers of an index, and updates have whole windows.
absl::Status SimplifyScatters(Context& context);

// A scatter of which only slices with one range are read scatters into the slice. Of a broadcast scalar, the slice
// is a smaller broadcast.
absl::Status SliceBeforeScatters(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_SCATTERS_SCATTER_PASSES_H_
