// Kernels of a TPU that make a sum of losses and, beside it, the divisors of the gradient or the sum of the mask.
//
//   FollowLosses(flow, &scope);       // the gradient of logits runs after the sum of their losses
//   FollowSumsOfMasks(flow, &scope);  // what divides by the sum of a mask, too
//
// A loss is the logarithm of a sum of exponentials, less a logit that a gather picks. The gradient divides by the same
// sum. XLA makes both in one kernel with two results, (f32[], f32[2,1024]). So the pick, which reads all logits, runs
// in front of the gradient, and the logits of the pick are gone before it. It is so in 15 of 17 final modules whose sum
// is of one device. In the other two, and in one of the 15, a dimension of the sum is 1. Cost: linear.
//
// A masked loss is sum(loss * mask) / sum(mask). XLA computes both sums in one kernel, (f32[], f32[]): their operands
// have equal sizes, and share an array. Two final modules with such a loss were read. The gradient needs the sum of the
// mask. Cost: quadratic in the sums of a whole array.
// Tested by loss_kernels_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_LOSS_KERNELS_H_
#define TESSERA_TARGET_SCHEDULE_LOSS_KERNELS_H_

#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/schedule/kernels.h"

namespace tessera::target {

void FollowLosses(const Dataflow& flow, ScopeKernels* scope);
// It adds reads of kernels that may stand later.
void FollowSumsOfMasks(const Dataflow& flow, ScopeKernels* scope);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_LOSS_KERNELS_H_
