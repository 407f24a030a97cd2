#include "tessera/target/tpu/forms.h"

#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

constexpr int64_t kLarge = int64_t{1} << 20;

std::optional<bool> OfAllGather(const Target& target, const CollectiveSize& gather) {
  if (!target.chip->hides_gathers) return true;
  if (!gather.in_loop && gather.bytes > kLarge) return std::nullopt;
  return gather.bytes <= kLarge;
}

}  // namespace

std::optional<bool> IsSynchronous(const Target& target, const CollectiveSize& collective) {
  if (!HasTpuPasses(*target.chip)) return std::nullopt;
  switch (collective.opcode) {
    case hlo::Opcode::kAllGather:
      return OfAllGather(target, collective);
    case hlo::Opcode::kAllReduce:
    case hlo::Opcode::kAllToAll:
    case hlo::Opcode::kReduceScatter:
      return true;
    case hlo::Opcode::kCollectivePermute:
      return false;
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::target
