// dot_decomposer: every product has at most one free and one contracted dimension on each side.
//
//   f32[4,8,6] dot(x: f32[4,8,2,3], w: f32[2,3,6])          contracts the last two of x
//   ->  f32[4,8,6] reshape(f32[32,6] dot(f32[32,6] reshape(x), f32[6,6] reshape(w)))
//
// A side is transposed to batch, free and contracted on the left, and to batch, contracted and free on
// the right; reshapes then make one dimension of each group. A side with one dimension in each keeps
// its order: XLA folds such a transpose into the product.
//
// Cost: linear. Tested by dot_decomposer_test.cc.

#ifndef TESSERA_TARGET_GPU_DOT_DECOMPOSER_H_
#define TESSERA_TARGET_GPU_DOT_DECOMPOSER_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status DecomposeDots(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_DOT_DECOMPOSER_H_
