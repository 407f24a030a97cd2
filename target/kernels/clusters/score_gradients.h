// The gradient of the scores of attention, which is written once for the two products that read it.
//
//   %r = f32[4,16,1024] reduce(..)                                  the sum of each row
//   %b = f32[4,16,1024,1024] broadcast(%r)
//   %s = f32[4,16,1024,1024] subtract(%dp, %b)
//   %g = f32[4,16,1024,1024] multiply(%s, %p)
//   %c = bf16[4,16,1024,1024] convert(%g)           read by the products of queries and keys: one kernel writes it
//
// So it is in 13 of 13 final modules for v5p and v6e. On v5e both products compute it (4 of 5; Chip has which). They
// do, too, where it is not rounded, or a dimension of the scores is 1: the compiler takes that out by a reshape.
//
// Cost: linear in the element-wise operations in front of it, 64 at most. Tested by kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_CLUSTERS_SCORE_GRADIENTS_H_
#define TESSERA_TARGET_KERNELS_CLUSTERS_SCORE_GRADIENTS_H_

#include "tessera/hlo/module.h"

namespace tessera::target {

bool IsGradientOfScores(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_CLUSTERS_SCORE_GRADIENTS_H_
