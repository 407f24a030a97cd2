// degenerate-dimension-rewriter: elementwise operations have no dimensions of size 1.
//
//   a = f32[8,1] reshape(x: f32[8])
//   b = f32[8,1] multiply(a, broadcast(n))      ->   multiply(x, broadcast(n) of f32[8]), reshaped
//
// What stands around them has to allow it: reshapes, broadcasts, reductions, gathers, concatenates, constants,
// iotas and what a loop carries unchanged do, as does what is reshaped in this way already. Operands of an
// operation come before it, so each stands between reshapes, which algsimp then merges.
//
// Cost: linear in the elementwise operations between such leaves. Tested by
// recorded_passes_test.cc.

#ifndef TESSERA_TARGET_GPU_DEGENERATE_DIMENSION_REWRITER_H_
#define TESSERA_TARGET_GPU_DEGENERATE_DIMENSION_REWRITER_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status RewriteDegenerateDimensions(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_DEGENERATE_DIMENSION_REWRITER_H_
