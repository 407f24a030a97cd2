// Kernels of a TPU that update a weight and its moments: one kernel makes all of them.
//
//   const std::vector<NodeId> updates = FindUpdates(flow, &readers);
//   updates[n];      // the node that makes the weight, of those in one kernel with it; kNone of others
//
//   m' = 0.9 * m + 0.1 * g, v' = 0.99 * v + 0.01 * g * g, w' = w - m' / sqrt(v')
//
// Adam and momentum write several results of one size. The weight is computed cell by cell of the others. In the final
// modules of 60 steps 573 of 620 kernels that write results of a MiB or more write two or more. What only such a kernel
// reads is computed in it: the sum of both halves of a gradient, as a windowed einsum leaves them. Cost: linear, but
// for the way back from each result, of at most kFar nodes. Tested by //target/schedule:tests.

#ifndef TESSERA_TARGET_FUSION_UPDATE_KERNELS_H_
#define TESSERA_TARGET_FUSION_UPDATE_KERNELS_H_

#include <vector>

#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/dataflow/readers.h"

namespace tessera::target {

// By NodeId.
std::vector<NodeId> FindUpdates(const Dataflow& flow, Readers* readers);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_FUSION_UPDATE_KERNELS_H_
