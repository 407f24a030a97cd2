// The devices of collectives, each list made once.
//
//   KnownDevices known;
//   std::vector<uint64_t>& key = known.NewKey();      // what the list depends on
//   tiling.AppendNumbers(&key);
//   known.GroupsOf([&] { return GroupsOver(tiling, {0}); });   // called for a new key only
//
// A network for a pod has thousands of collectives, each among hundreds of devices, and few
// different lists. Lists of different keys that are equal are one list, so that their text is
// written once, too (Expander::DevicesOf). Cost: the words of a key; linear in the devices for a
// new one. Tested by reshard/known_devices_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_KNOWN_DEVICES_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_KNOWN_DEVICES_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/shared_list.h"
#include "tessera/sharding/partition/tiling/algebra.h"
#include "tessera/sharding/partition/tiling/kept_lists.h"
#include "tessera/sharding/partition/tiling/numbering.h"

namespace tessera::sharding::partition {

class KnownDevices {
 public:
  using Group = std::vector<int64_t>;
  using Pair = std::pair<int64_t, int64_t>;
  // A collective-permute.
  struct Permutation {
    SharedList<Pair> pairs;
    bool stays = false;  // every pair is a device and itself
  };

  // An empty key to be filled; good until the next one.
  std::vector<uint64_t>& NewKey() {
    key_.clear();
    return key_;
  }

  // The list of the last key; `make` gives it, and asks for no other key.
  template <typename Make>
  SharedList<Group> GroupsOf(const Make& make) {
    return groups_.Of(key_, [&] { return NumberOf(make()); });
  }
  template <typename Make>
  Permutation PairsOf(const Make& make) {
    const SharedList<Pair> pairs = pairs_.Of(key_, [&] { return pairs_.lists.Of(make()); });
    const auto stays = [](const Pair& pair) { return pair.first == pair.second; };
    return {pairs, std::all_of(pairs.begin(), pairs.end(), stays)};
  }

 private:
  // Lists by their keys.
  template <typename T>
  struct Lists {
    // `make` gives the number of the list of a new key.
    template <typename Make>
    const SharedList<T>& Of(const std::vector<uint64_t>& key, const Make& make) {
      const auto [number, is_new] = keys.Of(key);
      if (is_new) list_of_key.push_back(make());
      return lists[list_of_key[number]];
    }

    Numbering keys;
    std::vector<uint32_t> list_of_key;
    KeptLists<T> lists;
  };

  // Of the list of these groups, which stand in rows. Equal axes need no second list.
  uint32_t NumberOf(const TileAssignment& groups) {
    if (!groups.has_axes()) return groups_.lists.Of(RowsOf(groups));
    axes_.assign(groups.dims().begin(), groups.dims().end());
    axes_.insert(axes_.end(), groups.reshape_dims().begin(), groups.reshape_dims().end());
    axes_.insert(axes_.end(), groups.perm().begin(), groups.perm().end());
    const auto [number, is_new] = known_axes_.Of(axes_);
    if (is_new) list_of_axes_.push_back(groups_.lists.Of(RowsOf(groups)));
    return list_of_axes_[number];
  }

  std::vector<uint64_t> key_, axes_;
  Numbering known_axes_;
  std::vector<uint32_t> list_of_axes_;
  Lists<Group> groups_;
  Lists<Pair> pairs_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_KNOWN_DEVICES_H_
