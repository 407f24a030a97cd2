// tree-reduction-rewriter: long reductions are made in two steps.
//
//   f32[] reduce(x: f32[96000])        ->  f32[] reduce(f32[375] reduce(f32[375,256] bitcast(x)))
//   f32[16] reduce(x: f32[32,16,64]), dimensions={0,2}      ->  over 2, then over 0
//
// So that a block of threads has room for what it reduces: 16,384 elements that lie together, 4,096 of a column, and
// 8 along a major dimension that is reduced besides. What is reduced last is cut into two factors near its root,
// padded if it must be; those of the least padding, and among them powers of two, are chosen.
//
// Not modelled: reductions of several arrays.
//
// Cost: linear in the program. Tested by tree_reduction_rewriter_test.cc.

#ifndef TESSERA_TARGET_GPU_REDUCTIONS_TREE_REDUCTION_REWRITER_H_
#define TESSERA_TARGET_GPU_REDUCTIONS_TREE_REDUCTION_REWRITER_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status RewriteTreeReductions(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_REDUCTIONS_TREE_REDUCTION_REWRITER_H_
