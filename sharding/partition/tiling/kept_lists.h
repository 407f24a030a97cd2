// Keeps lists, equal ones once, under a number.
//
//   KeptLists<int64_t> lists;
//   lists.Of({3, 5});          // 0
//   lists.Of({7});             // 1
//   lists.Of({3, 5});          // 0
//   lists[1];                  // {7}
//
// For long lists: each is hashed, and stands in memory once, where Numbering would copy it to a
// pool. Elements are numbers, pairs of numbers, or lists of them. Tested by
// reshard/known_devices_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_TILING_KEPT_LISTS_H_
#define TESSERA_SHARDING_PARTITION_TILING_KEPT_LISTS_H_

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "tessera/sharding/partition/shared_list.h"

namespace tessera::sharding::partition {

template <typename T>
class KeptLists {
 public:
  uint32_t Of(std::vector<T> list) {
    auto& alike = by_hash_[HashOf(list)];
    for (const uint32_t number : alike) {
      if (lists_[number].list() == list) return number;
    }
    alike.push_back(static_cast<uint32_t>(lists_.size()));
    lists_.emplace_back(std::move(list));
    return alike.back();
  }
  const SharedList<T>& operator[](uint32_t number) const { return lists_[number]; }

 private:
  static uint64_t WordOf(int64_t number) { return static_cast<uint64_t>(number); }
  static uint64_t WordOf(const std::pair<int64_t, int64_t>& pair) {
    return static_cast<uint64_t>(pair.first) << 32 ^ static_cast<uint64_t>(pair.second);
  }
  static uint64_t WordOf(const std::vector<int64_t>& list) { return HashOf(list); }
  // Two at a time.
  static uint64_t HashOf(const std::vector<int32_t>& list) {
    uint64_t hash = list.size(), two = 0;
    for (size_t i = 0; i + 1 < list.size(); i += 2) {
      std::memcpy(&two, list.data() + i, sizeof(two));
      hash = (hash ^ two) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return list.empty() ? hash : hash ^ static_cast<uint64_t>(list.back());
  }
  template <typename List>
  static uint64_t HashOf(const List& list) {
    uint64_t hash = list.size();
    for (const auto& one : list) {
      hash = (hash ^ WordOf(one)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return hash;
  }

  absl::flat_hash_map<uint64_t, absl::InlinedVector<uint32_t, 1>> by_hash_;
  std::vector<SharedList<T>> lists_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_TILING_KEPT_LISTS_H_
