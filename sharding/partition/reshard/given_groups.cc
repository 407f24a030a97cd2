#include "tessera/sharding/partition/reshard/given_groups.h"

#include <numeric>
#include <utility>

#include "tessera/hlo/attributes.h"

namespace tessera::sharding::partition {

std::optional<GivenGroups::Groups> GivenGroups::Of(absl::string_view text, int64_t num_partitions) {
  const auto known = known_.find(text);
  if (known != known_.end()) return known->second;
  const auto groups = hlo::ParseReplicaGroups(text);
  const auto ids = groups.has_value() ? groups->NumIds() : std::nullopt;
  if (!ids.has_value()) return std::nullopt;
  const int64_t more = *ids == 0 ? num_partitions : *ids;
  if (more > kMostListed - listed_) return std::nullopt;
  listed_ += more;
  std::vector<std::vector<int64_t>> lists = *groups->Expand();
  if (lists.empty()) {
    lists.emplace_back(static_cast<size_t>(num_partitions));
    std::iota(lists.back().begin(), lists.back().end(), int64_t{0});
  }
  return known_.emplace(text, std::move(lists)).first->second;
}

}  // namespace tessera::sharding::partition
