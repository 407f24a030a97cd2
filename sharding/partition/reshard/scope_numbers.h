// Numbers for scopes: equal nesting of device groups has an equal number in every body.
//
//   const int32_t group = numbers.Of(ScopeNumbers::kWhole, devices);   // the same in every body
//
// Each body has its own scopes with their own cache entries. By these numbers a recorded visit of
// one body is replayed in another.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_SCOPE_NUMBERS_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_SCOPE_NUMBERS_H_

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/partition/tiling/grouping.h"

namespace tessera::sharding::partition {

class ScopeNumbers {
 public:
  static constexpr int32_t kWhole = 0;  // all devices
  // Of a scope without a shared number.
  static bool IsPrivate(int32_t number) { return number < 0; }
  int32_t Private() { return --private_; }

  // Work in these groups of the devices of scope `parent`.
  int32_t Of(int32_t parent, const DeviceGroups& groups) {
    if (IsPrivate(parent)) return Private();
    const auto [found, is_new] =
        numbers_.try_emplace({parent, groups.groups(), groups.devices()}, size() + 1);
    if (is_new) inner_.push_back({parent, groups});
    return found->second;
  }
  int32_t parent(int32_t number) const { return At(inner_, number - 1).first; }
  const DeviceGroups& groups(int32_t number) const { return At(inner_, number - 1).second; }
  // Without the scope of all devices.
  int32_t size() const { return static_cast<int32_t>(inner_.size()); }

 private:
  using Key = std::tuple<int32_t, int64_t, std::vector<int64_t>>;
  absl::flat_hash_map<Key, int32_t> numbers_;
  std::vector<std::pair<int32_t, DeviceGroups>> inner_;  // parent and groups, by number - 1
  int32_t private_ = 0;                                  // the last one
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_SCOPE_NUMBERS_H_
