// Numbers for scopes: equal nesting of device groups has an equal number in every body.
//
//   const int32_t group = numbers.Of(ScopeNumbers::kWhole, devices);   // the same in every body
//
// Each body has its own scopes with their own cache entries. By these numbers a recorded visit of
// one body is replayed in another.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_SCOPE_NUMBERS_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_SCOPE_NUMBERS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/tiling/grouping.h"
#include "tessera/sharding/partition/tiling/lists.h"
#include "tessera/sharding/partition/tiling/numbering.h"

namespace tessera::sharding::partition {

class ScopeNumbers {
 public:
  static constexpr int32_t kWhole = 0;  // all devices
  // Of a scope that other bodies do not share: one without memory, and all inside it.
  static bool IsPrivate(int32_t number) { return number < 0; }
  int32_t Private() { return --private_; }

  // Work in these groups of the devices of scope `parent`.
  int32_t Of(int32_t parent, const DeviceGroups& groups) {
    // Those with axes are found by them; others, and new ones, by all devices.
    const TileAssignment& grid = groups.grid();
    Begin(parent, groups);
    if (grid.has_axes()) {
      words_.push_back(grid.reshape_dims().size());
      words_.insert(words_.end(), grid.reshape_dims().begin(), grid.reshape_dims().end());
      words_.insert(words_.end(), grid.perm().begin(), grid.perm().end());
      const auto [form, is_new] = forms_.Of(words_);
      if (is_new) number_of_form_.push_back(OfDevices(parent, groups));
      return At(number_of_form_, form);
    }
    return OfDevices(parent, groups);
  }
  int32_t parent(int32_t number) const { return At(inner_, number - 1).first; }
  const DeviceGroups& groups(int32_t number) const { return At(inner_, number - 1).second; }
  // Without the scope of all devices.
  int32_t size() const { return static_cast<int32_t>(inner_.size()); }

 private:
  void Begin(int32_t parent, const DeviceGroups& groups) {
    words_.assign({static_cast<uint64_t>(parent), static_cast<uint64_t>(groups.groups())});
  }
  int32_t OfDevices(int32_t parent, const DeviceGroups& groups) {
    Begin(parent, groups);
    words_.insert(words_.end(), groups.devices().begin(), groups.devices().end());
    const auto [list, is_new] = lists_.Of(words_);
    if (is_new) number_of_list_.push_back(New(parent, groups));
    return At(number_of_list_, list);
  }
  int32_t New(int32_t parent, const DeviceGroups& groups) {
    if (IsPrivate(parent)) return Private();
    inner_.push_back({parent, groups});
    return size();
  }

  Numbering forms_, lists_;  // of parent and groups: axes of iotas, all devices
  std::vector<int32_t> number_of_form_, number_of_list_;
  std::vector<uint64_t> words_;
  std::vector<std::pair<int32_t, DeviceGroups>> inner_;  // parent and groups, by number - 1
  int32_t private_ = 0;                                  // the last one
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_SCOPE_NUMBERS_H_
