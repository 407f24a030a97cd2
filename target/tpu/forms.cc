#include "tessera/target/tpu/forms.h"

#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

constexpr int64_t kLargestThatWaits = int64_t{1} << 20;

}  // namespace

bool MayHide(const Target& target, const CollectiveSize& collective) {
  if (target.chip->platform != Platform::kTpu) return false;
  if (collective.spans_slices) return true;
  if (collective.opcode == hlo::Opcode::kCollectivePermute) {
    return target.slice_devices() <= target.chip->most_hiding_permutes;
  }
  return collective.opcode == hlo::Opcode::kAllGather && target.chip->hides_gathers &&
         collective.bytes > kLargestThatWaits;
}

std::optional<bool> IsSynchronous(const Target& target, const CollectiveSize& collective) {
  if (!HasTpuPasses(*target.chip)) return std::nullopt;
  const bool may_hide = MayHide(target, collective);
  switch (collective.opcode) {
    case hlo::Opcode::kAllGather:
      if (may_hide && !collective.in_loop && !collective.spans_slices) return std::nullopt;
      return !may_hide;
    case hlo::Opcode::kAllReduce:
    case hlo::Opcode::kAllToAll:
    case hlo::Opcode::kReduceScatter:
    case hlo::Opcode::kCollectivePermute:
      return !may_hide;
    default:
      return may_hide ? std::optional<bool>(false) : std::nullopt;
  }
}

}  // namespace tessera::target
