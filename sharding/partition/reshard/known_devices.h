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
    return groups_.Of(key_, make);
  }
  template <typename Make>
  Permutation PairsOf(const Make& make) {
    const SharedList<Pair> pairs = pairs_.Of(key_, make);
    const auto stays = [](const Pair& pair) { return pair.first == pair.second; };
    return {pairs, std::all_of(pairs.begin(), pairs.end(), stays)};
  }

 private:
  template <typename T>
  class Lists {
   public:
    template <typename Make>
    const SharedList<T>& Of(const std::vector<uint64_t>& key, const Make& make) {
      const auto [number, is_new] = keys_.Of(key);
      if (is_new) list_of_key_.push_back(lists_.Of(make()));
      return lists_[list_of_key_[number]];
    }

   private:
    Numbering keys_;
    std::vector<uint32_t> list_of_key_;
    KeptLists<T> lists_;
  };

  std::vector<uint64_t> key_;
  Lists<Group> groups_;
  Lists<Pair> pairs_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_KNOWN_DEVICES_H_
