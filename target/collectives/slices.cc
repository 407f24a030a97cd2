#include "tessera/target/collectives/slices.h"

#include <vector>

#include "absl/algorithm/container.h"

namespace tessera::target {

bool SpansSlices(const sharding::partition::Collective& collective, int64_t slice_devices) {
  if (slice_devices == 0) return false;
  const auto are_apart = [&](int64_t a, int64_t b) {
    return a / slice_devices != b / slice_devices;
  };
  return absl::c_any_of(collective.pairs.list(),
                        [&](const auto& pair) { return are_apart(pair.first, pair.second); }) ||
         absl::c_any_of(collective.groups.list(), [&](const std::vector<int64_t>& group) {
           return absl::c_any_of(group, [&](int64_t d) { return are_apart(d, group[0]); });
         });
}

}  // namespace tessera::target
