// The kernels that priority fusion makes of a computation (target/priority_fusion), as clusters.
//
//   %e = f32[64] exponential(%x)        fused: {%a} and {%b}, %e is in neither list
//   %a = f32[64] negate(%e)             clusters: {%e, %a} and {%e, %b}
//   %b = f32[64] tanh(%e)
//
// A cluster has what its kernel writes and, back to what other kernels write, all that leads there. Cost: the sum of
// the kernels' sizes. Tested by fused_kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_CLUSTERS_FUSED_CLUSTERS_H_
#define TESSERA_TARGET_KERNELS_CLUSTERS_FUSED_CLUSTERS_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/target/combine/kernel_graph.h"
#include "tessera/target/kernels/clusters/clusters.h"

namespace tessera::target {

// In the order of their last members. `order` has the instructions of one computation, operands first; gathers are in
// clusters, too.
std::vector<Cluster> FusedClusters(const hlo::Module& module,
                                   const std::vector<hlo::InstructionId>& order,
                                   const KernelResults& fused);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_CLUSTERS_FUSED_CLUSTERS_H_
