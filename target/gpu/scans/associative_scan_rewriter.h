// associative-scan-rewriter: a scan whose step is one associative operation is a reduce-window.
//
//   scan(x: f32[8,1024], zeros), dimensions={1}, is_associative=true       // jnp.cumsum
//     ->  reduce-window(x, 0), window={size=1x1024 pad=0_0x1023_0}
//
// Where only the elements are used, not what they add up to in the end. The step takes its two
// values in the other order then. From behind to the front: not, since JAX makes no such scan.
//
// Cost: linear in the program. Tested by scans_test.cc.

#ifndef TESSERA_TARGET_GPU_SCANS_ASSOCIATIVE_SCAN_REWRITER_H_
#define TESSERA_TARGET_GPU_SCANS_ASSOCIATIVE_SCAN_REWRITER_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status RewriteAssociativeScans(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_SCANS_ASSOCIATIVE_SCAN_REWRITER_H_
