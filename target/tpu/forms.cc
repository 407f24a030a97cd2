#include "tessera/target/tpu/forms.h"

#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

constexpr int64_t kLargestThatWaits = int64_t{1} << 20;

}  // namespace

bool MayHide(const Target& target, hlo::Opcode opcode, int64_t bytes) {
  if (target.chip->platform != Platform::kTpu) return false;
  if (opcode == hlo::Opcode::kCollectivePermute) {
    return target.slice_devices() <= target.chip->most_hiding_permutes;
  }
  return opcode == hlo::Opcode::kAllGather && target.chip->hides_gathers &&
         bytes > kLargestThatWaits;
}

std::optional<bool> IsSynchronous(const Target& target, const CollectiveSize& collective) {
  if (!HasTpuPasses(*target.chip)) return std::nullopt;
  if (collective.spans_slices) return false;
  switch (collective.opcode) {
    case hlo::Opcode::kAllGather:
      if (!MayHide(target, collective.opcode, collective.bytes)) return true;
      return collective.in_loop ? std::optional<bool>(false) : std::nullopt;
    case hlo::Opcode::kAllReduce:
    case hlo::Opcode::kAllToAll:
    case hlo::Opcode::kReduceScatter:
      return true;
    case hlo::Opcode::kCollectivePermute:
      return !MayHide(target, collective.opcode, collective.bytes);
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::target
