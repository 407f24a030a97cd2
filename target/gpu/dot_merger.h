// dot-merger: products of one operand become one product.
//
//   a = f32[8,4] dot(x, v)           c = f32[64,6] concatenate(v, w), dimensions={1}
//   b = f32[8,2] dot(x, w)      ->   d = f32[8,6] dot(x, c),   and a and b are slices of it
//
// Also where one has x on the left and the other on the right, maybe as rows and as columns of one array: x is on the
// right then. Rows that were several dimensions before a reshape are again when the results are cut. One of both has at most 64 MiB, of its result
// and the operand that they do not share, and the other at most 16 times as much. Neither may need the
// other's result. An operand whose size is a multiple of a higher power of two comes first, then the larger
// one. The limits and the order were found from outside (jax-cuda12-plugin 0.12.0.1).
//
// Cost: for each pair, what lies between the two. Tested by dot_merger_test.cc.

#ifndef TESSERA_TARGET_GPU_DOT_MERGER_H_
#define TESSERA_TARGET_GPU_DOT_MERGER_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status MergeDots(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_DOT_MERGER_H_
