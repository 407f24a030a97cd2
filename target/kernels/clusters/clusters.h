// Which instructions of a partitioned module a compiler is likely to run as one kernel.
//
//   %a = f32[64,64] multiply(%x, %y)          clusters: {%a, %d, %t}, for %a feeds only the product
//   %d = f32[64,64] dot(%a, %w)               and %t is all that reads it
//   %t = f32[64,64] tanh(%d)
//
// From the last instruction to the first, each joins the clusters of what reads it:
//
//   1. What is light (element-wise, or moves data) joins its one cluster: of light instructions, a
//      reduction, a product or an update. A convert to 8 bits does not join a dot, and arithmetic does not
//      join a dynamic-slice, nor what a kernel takes in after one. On TPUs nothing joins what reads from memory
//      (MovesFromMemory()), and what writes there (MovesToMemory()) joins nothing. Nor does a slice join a broadcast
//      that repeats it.
//   2. Read by several clusters, cheap ones are repeated in each. Clusters without a product that run over the same
//      elements become one with several results, if none needs another one. Else two of them with reductions become
//      one, if they do not need each other. What takes two arrays, and is read by a product and by a cluster of its
//      size without one, is written by the latter. Other arithmetic is repeated in up to six, and in all where it reads one widened array, as in a norm. Exponentials and
//      divisions are repeated only with one operand of full size, as in a softmax, whose division runs in the
//      products that read it. Exponentials after a row window (repeats.h) are written with the sum that reads them.
//      All else is written. On TPUs, what only a convert to fewer bytes reads is written after it, a concatenate is
//      repeated in the dots that read it, and clusters over the same elements become one where they read one
//      repeated array.
//   3. What a loop, a collective or the like reads is written, by a cluster of its size that reads
//      it too, if there is one. A convert to more bytes still runs in each of the others. What a product
//      computes last for two others is written, too (product_epilogues.h).
//      So is a slice of what a loop updates row by row (row_updates.h). On TPUs slices of one size of one array, written
//      by themselves, are one kernel: in 58 final modules no two are apart.
//   4. A product joins light instructions of its size, if they are all that read it. A row window
//      joins what reads it; which products run in a kernel with one: apart_scores.h.
//   5. Some reductions and updates run with a product (cluster_joins.h).
//
// Found by comparing with what TPU compilers make of 55 programs; not their algorithm, which is not
// public. Cost: linear in the instructions and their uses, and a bounded walk for each cluster that
// is joined with another. Tested by kernels_test.cc; how far times agree: docs/cost.md.

#ifndef TESSERA_TARGET_KERNELS_CLUSTERS_CLUSTERS_H_
#define TESSERA_TARGET_KERNELS_CLUSTERS_CLUSTERS_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/target/target.h"

namespace tessera::target {

struct Cluster {
  std::vector<hlo::InstructionId> members;  // operands first; one may be in several clusters
  std::vector<hlo::InstructionId> outputs;  // of the members, those that are written
};

// In the order of their last members. `order` has the instructions of one computation, operands
// first.
std::vector<Cluster> FindClusters(const hlo::Module& module,
                                  const std::vector<hlo::InstructionId>& order, const Chip& chip);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_CLUSTERS_CLUSTERS_H_
