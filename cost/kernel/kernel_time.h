// How long a device takes for a kernel.
//
//   TESSERA_ASSIGN_OR_RETURN(const KernelClock clock, KernelClock::Of(target));
//   const KernelTime t = clock.TimeOf(kernel);
//   t.seconds, t.products_s, t.vector_s, t.memory_s    // its parts overlap: the sum is larger
//
// A TPU (section by section in docs/cost.md), in cycles:
//
//   m = registers read and written, each by its memory and width      memory
//   v = registers that operations compute                             vector unit
//   x = multiplications * padding / those of a cycle                  matrix unit
//   l = tiles with fewer rows than a register that it walks over, or arithmetic on registers of 4 bytes, if more
//   cycles = fixed + max(max(m + v, x) + q * min(m + v, x), l)        q = 0.17 to 0.66
//
// A GPU, by the constants of XLA's own model: a launch, and arithmetic and memory, of which the
// shorter one hides but for a twentieth. A machine that a file describes takes the same model, with
// the numbers of its Device (projection/cost/topology.proto).
//
// Cost: linear in the accesses. Tested by kernel_time_test.cc.

#ifndef TESSERA_COST_KERNEL_KERNEL_TIME_H_
#define TESSERA_COST_KERNEL_KERNEL_TIME_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "tessera/cost/kernel/tpu_rates.h"
#include "tessera/projection/cost/network/topology.h"
#include "tessera/target/kernels/kernel.h"
#include "tessera/target/target.h"

namespace tessera::cost {

struct KernelTime {
  double seconds = 0;
  double products_s = 0;  // of the units for matrix products
  double vector_s = 0;
  double memory_s = 0;
  double fixed_s = 0;
  // False for what nothing says how long it takes: a custom call.
  bool is_known = true;
};

class KernelClock {
 public:
  // InvalidArgument, which begins with --target=.., for a chip without rates.
  static absl::StatusOr<KernelClock> Of(const target::Target& target);
  // InvalidArgument for a device without a peak or without the bandwidth of its memory.
  static absl::StatusOr<KernelClock> Of(const projection::Device& device);

  KernelTime TimeOf(const target::DeviceKernel& kernel) const;
  // The time of a custom call with this work.
  KernelTime TimeOf(double flops, double bytes) const;
  // None where the chip is no TPU.
  std::optional<double> SecondsOf(double cycles) const;

 private:
  const TpuRates* tpu_ = nullptr;  // else a GPU
  projection::Device device_;
};

}  // namespace tessera::cost

#endif  // TESSERA_COST_KERNEL_KERNEL_TIME_H_
