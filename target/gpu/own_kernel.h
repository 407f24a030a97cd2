// Sums that XLA for GPUs runs by a kernel of its own, in place of NCCL: such a kernel is never made synchronous.
//
//   RunsByOwnKernel(*ParseTarget("h100:8"), 256, {0, 1, 2, 3, 4, 5, 6, 7});    // true
//
// From compute capability 9.0 on; one array, a power of two of devices that NVLink joins. Each device reads all
// of up to 256 KiB; of more, up to 32 MiB of all devices, it reads its part (XLA's one-shot and two-shot). The
// second limit was found from outside: final modules of jax-cuda12-plugin 0.12.0.1. Combined sums are no part
// of it, though they are one array in the end. Tested by own_kernel_test.cc.

#ifndef TESSERA_TARGET_GPU_OWN_KERNEL_H_
#define TESSERA_TARGET_GPU_OWN_KERNEL_H_

#include <cstdint>

#include "absl/types/span.h"
#include "tessera/target/target.h"

namespace tessera::target {

// Whether NVLink joins the devices.
bool IsInOneDomain(const Target& target, absl::Span<const int64_t> group);

// An all-reduce of one array that no combiner made. `bytes`: of the array; `group`: the devices of one sum.
bool RunsByOwnKernel(const Target& target, int64_t bytes, absl::Span<const int64_t> group);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_OWN_KERNEL_H_
