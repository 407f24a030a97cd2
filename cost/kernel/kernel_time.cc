#include "tessera/cost/kernel/kernel_time.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/cost/kernel/gpu_time.h"
#include "tessera/cost/kernel/tpu_time.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {

absl::StatusOr<KernelClock> KernelClock::Of(const target::Target& target) {
  KernelClock clock;
  if (target.chip->platform == target::Platform::kTpu) {
    clock.tpu_ = TpuRatesOf(target.chip->name);
    if (clock.tpu_ == nullptr) {
      std::vector<std::string> names;
      for (const TpuRates& rates : AllTpuRates()) names.emplace_back(rates.chip);
      return absl::InvalidArgumentError(
          absl::StrCat("--target=", target.ToString(), ": no times are known for kernels of ",
                       target.chip->name, "; there are ", absl::StrJoin(names, ", "), " and GPUs"));
    }
  }
  TESSERA_ASSIGN_OR_RETURN(clock.device_, DeviceOf(target));
  return clock;
}

absl::StatusOr<KernelClock> KernelClock::Of(const projection::Device& device) {
  if (!(PeakOf(device, "f32") > 0) || !(device.hbm_bytes_per_s() > 0)) {
    return absl::InvalidArgumentError(
        "the time of a kernel needs hbm_bytes_per_s and a peak with flops_per_s in `device`, both "
        "more than 0");
  }
  KernelClock clock;
  clock.device_ = device;
  return clock;
}

KernelTime KernelClock::TimeOf(const target::DeviceKernel& kernel) const {
  return tpu_ != nullptr ? TimeOnTpu(kernel, *tpu_) : TimeOnGpu(kernel, device_);
}

KernelTime KernelClock::TimeOf(double flops, double bytes) const {
  KernelTime time;
  time.products_s = flops / PeakOf(device_, "bf16");
  time.memory_s = bytes / device_.hbm_bytes_per_s();
  time.fixed_s = tpu_ != nullptr ? tpu_->fixed / tpu_->cycles_per_s : LaunchOf(device_);
  time.seconds = time.fixed_s + std::max(time.products_s, time.memory_s);
  return time;
}

std::optional<double> KernelClock::SecondsOf(double cycles) const {
  return tpu_ != nullptr ? std::make_optional(cycles / tpu_->cycles_per_s) : std::nullopt;
}

}  // namespace tessera::cost
