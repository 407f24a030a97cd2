// Clusters that run in the kernel of a product, after the assignment of clusters.h.
//
//   %s = f32[64,64] dot(%q, %k)               {%s, %m}: one kernel
//   %m = f32[64] reduce(%s), maximum
//   %e = f32[64,64] exponential(%s - %m)      {%e, %z}: %z waits for %m, which %s has to be ready for
//   %z = f32[64] reduce(%e), add
//
// A reduction over the result of a product runs with it, of several with the last one that it does not wait for: the
// maximum of a softmax, the sums of a batch norm, the gradient of a maximum. So does an update of a stack with 16 bits
// an element, such as a loop keeps for the backward pass. What needs another result of that kernel than the product
// does not.
//
// Found by comparing with what TPU compilers make. Cost: a bounded walk for each reduction and update.
// Tested by kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_CLUSTERS_CLUSTER_JOINS_H_
#define TESSERA_TARGET_KERNELS_CLUSTERS_CLUSTER_JOINS_H_

#include "tessera/hlo/module.h"
#include "tessera/target/kernels/clusters/cluster_graph.h"

namespace tessera::target {

void RunWithProducts(const hlo::Module& module, ClusterGraph* graph);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_CLUSTERS_CLUSTER_JOINS_H_
