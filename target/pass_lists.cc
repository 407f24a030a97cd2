#include "tessera/target/pass_lists.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tessera/target/gpu/gpu_passes.h"

namespace tessera::target {

absl::StatusOr<absl::Span<const Pass>> PassesOf(const Target& target) {
  switch (target.chip->platform) {
    case Platform::kCpu:
      return absl::Span<const Pass>();
    case Platform::kGpu:
      return GpuPasses();
    case Platform::kTpu:
      break;
  }
  return absl::UnimplementedError(
      absl::StrCat("--target=", target.ToString(),
                   ": what TPU compilers do behind the partitioner is not modelled yet"));
}

absl::Span<const Pass> PassesBeforeShardy(const Target& target) {
  if (target.chip->platform == Platform::kGpu) return GpuPassesBeforeShardy();
  return {};
}

}  // namespace tessera::target
