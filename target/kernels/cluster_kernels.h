// The kernels of a computation that no compiler has fused yet.

#ifndef TESSERA_TARGET_KERNELS_CLUSTER_KERNELS_H_
#define TESSERA_TARGET_KERNELS_CLUSTER_KERNELS_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::target {

// `order`: its instructions, operands first. Layouts and places in memory are not known:
//   - values lie in the fast memory, but for parameters, what loops carry, results, and what is
//     larger than half of it;
//   - what only copies, transposes or reshapes takes no time, as a layout may do it; neither does
//     the value from which a loop starts, if it is one constant.
std::vector<DeviceKernel> ClusterKernels(const hlo::Module& module,
                                         const std::vector<hlo::InstructionId>& order);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_CLUSTER_KERNELS_H_
