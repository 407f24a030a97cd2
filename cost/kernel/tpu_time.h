// The time of a kernel on a TPU, in the model of kernel_time.h.

#ifndef TESSERA_COST_KERNEL_TPU_TIME_H_
#define TESSERA_COST_KERNEL_TPU_TIME_H_

#include "tessera/cost/kernel/kernel_time.h"
#include "tessera/cost/kernel/tpu_rates.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::cost {

KernelTime TimeOnTpu(const target::DeviceKernel& kernel, const TpuRates& rates);

}  // namespace tessera::cost

#endif  // TESSERA_COST_KERNEL_TPU_TIME_H_
