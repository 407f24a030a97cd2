// The kernels of a computation of a module that a compiler has finished.

#ifndef TESSERA_TARGET_KERNELS_FINAL_KERNELS_H_
#define TESSERA_TARGET_KERNELS_FINAL_KERNELS_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::target {

// In the order of the schedule.
std::vector<DeviceKernel> FinalKernels(const hlo::Module& module, hlo::ComputationId computation);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_FINAL_KERNELS_H_
