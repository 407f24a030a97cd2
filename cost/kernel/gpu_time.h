// The time of a kernel on a GPU, by the constants of XLA's model (openxla/xla, backends/gpu/model),
// and on a machine of a file, by the file's.

#ifndef TESSERA_COST_KERNEL_GPU_TIME_H_
#define TESSERA_COST_KERNEL_GPU_TIME_H_

#include "absl/strings/string_view.h"
#include "tessera/cost/kernel/kernel_time.h"
#include "tessera/projection/cost/network/topology.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::cost {

// Of any kernel: launch_s, 1 us where the device does not say.
double LaunchOf(const projection::Device& device);

KernelTime TimeOnGpu(const target::DeviceKernel& kernel, const projection::Device& device);

// Operations a second of the units for products; of the first type that is listed where `type` is
// not; 0 where none is.
double PeakOf(const projection::Device& device, absl::string_view type);

}  // namespace tessera::cost

#endif  // TESSERA_COST_KERNEL_GPU_TIME_H_
