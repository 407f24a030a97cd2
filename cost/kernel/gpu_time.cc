#include "tessera/cost/kernel/gpu_time.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "tessera/target/priority_fusion/model/roofline.h"

namespace tessera::cost {

using target::Access;
using target::DeviceKernel;
using target::KernelKind;
using target::Product;

namespace {

constexpr double kVectorOperations = 1024;  // of a register

// Arithmetic outside of the units for products: in f32, where it has a peak of its own.
double VectorRate(const projection::Device& device) {
  for (const projection::Peak& peak : device.peak()) {
    if (peak.dtype() == "f32" && !peak.precision().empty()) return peak.flops_per_s();
  }
  return PeakOf(device, "f32");
}

// Exponentials and roots have a rate of their own where the device says one.
double RateOf(size_t work, const projection::Device& device) {
  const bool is_hard = work == target::kHard && device.has_transcendental_per_s();
  return is_hard ? device.transcendental_per_s() : VectorRate(device);
}

absl::string_view TypeOf(const Product& product) {
  if (product.width > 2) return "f32";
  if (product.width > 1) return "bf16";
  return product.is_integer ? "s8" : "f8";
}

}  // namespace

double LaunchOf(const projection::Device& device) {
  return device.has_launch_s() ? device.launch_s() : target::kKernelLaunchSeconds;
}

double PeakOf(const projection::Device& device, absl::string_view type) {
  for (const projection::Peak& peak : device.peak()) {
    if (peak.dtype() == type) return peak.flops_per_s();
  }
  return device.peak_size() > 0 ? device.peak(0).flops_per_s() : 0;
}

KernelTime TimeOnGpu(const DeviceKernel& kernel, const projection::Device& device) {
  KernelTime time;
  if (kernel.kind == KernelKind::kCustomCall) {
    time.is_known = false;
    return time;
  }
  if (kernel.kind == KernelKind::kPrefetch) return time;
  time.fixed_s = LaunchOf(device);
  for (const Access& access : kernel.accesses) {
    time.memory_s += access.bytes / device.hbm_bytes_per_s();
  }
  for (const Product& product : kernel.products) {
    time.products_s += 2 * product.multiplies / PeakOf(device, TypeOf(product));
  }
  for (size_t work = 0; work < kernel.work.size(); ++work) {
    time.vector_s += kernel.work[work] * kVectorOperations / RateOf(work, device);
  }
  const double computing = time.products_s + time.vector_s;
  time.seconds = time.fixed_s + computing + time.memory_s -
                 target::kParallelShare * std::min(computing, time.memory_s);
  return time;
}

}  // namespace tessera::cost
