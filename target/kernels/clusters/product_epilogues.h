// The last operations of a product before it writes.
//
//   %d = bf16[64,64] dot(%g, %w)
//   %a = bf16[64,64] multiply(%d, %x)
//   %e = bf16[64,64] add(%a, %d)           // the epilogue of %d: all that reads %d leads to it
//   %p = bf16[64,64] dot(%e, %v)
//   %q = bf16[64,64] dot(%u, %e)
//
// Two or more products read %e, so that it is written once, by the kernel of %d, and not computed in each of them: the
// gradient of an activation. Where two chains begin at %d, as in a gated layer, there is none.
//
// A walk from each product over element-wise operations of its size, of at most 32 steps. Cost: linear in the
// products. Tested by kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_CLUSTERS_PRODUCT_EPILOGUES_H_
#define TESSERA_TARGET_KERNELS_CLUSTERS_PRODUCT_EPILOGUES_H_

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/module.h"
#include "tessera/target/kernels/clusters/cluster_graph.h"

namespace tessera::target {

absl::flat_hash_set<Place> FindEpilogues(const hlo::Module& module, const ClusterGraph& graph);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_CLUSTERS_PRODUCT_EPILOGUES_H_
