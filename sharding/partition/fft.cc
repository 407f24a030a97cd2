// Fourier transforms are done whole on every device, but for long lines of plain ones that are cut
// among all devices: these take an algorithm of their own, which is not described.

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops.h"

namespace tessera::sharding::partition {
namespace {

bool IsInParts(const Visit& v) {
  const int64_t last = v.base->rank() - 1, devices = v.scope->devices();
  if (last < 2 || v.tiling().dim(last) != devices || devices == 1) return false;
  if (v.module().FindAttribute(v.id, hlo::AttributeName::kFftType) != "FFT") return false;
  const auto length = hlo::GetInts(v.module(), v.id, hlo::AttributeName::kFftLength);
  if (!length.has_value() || length->empty()) return false;
  const int64_t size = v.operands[0].base->dim(last);
  return length->back() == size && size % devices == 0;
}

}  // namespace

absl::StatusOr<NodeId> PartitionFft(Visit& v) {
  if (IsInParts(v)) {
    return absl::UnimplementedError("an fft along a dimension that all devices cut is not described");
  }
  return Default(v);
}

}  // namespace tessera::sharding::partition
