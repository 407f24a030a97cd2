#include "tessera/target/gpu/own_kernel.h"

#include "absl/algorithm/container.h"

namespace tessera::target {
namespace {

constexpr int kHopper = 90;
constexpr int64_t kOneShot = int64_t{256} << 10, kTwoShot = int64_t{32} << 20;

}  // namespace

bool IsInOneDomain(const Target& target, absl::Span<const int64_t> group) {
  const int64_t size = target.topology[1] * target.topology[2];
  return absl::c_all_of(group, [&](int64_t device) { return device / size == group[0] / size; });
}

bool RunsByOwnKernel(const Target& target, int64_t bytes, absl::Span<const int64_t> group) {
  const auto devices = static_cast<int64_t>(group.size());
  if (target.chip->compute_capability < kHopper || devices < 2) return false;
  if ((devices & (devices - 1)) != 0 || !IsInOneDomain(target, group)) return false;
  return bytes <= kOneShot || bytes * devices <= kTwoShot;
}

}  // namespace tessera::target
