// Interns lists of words: equal lists have one number.
//
//   Numbering numbers;
//   numbers.Of({3, 5}).number;     // 0
//   numbers.Of({7}).number;        // 1
//   numbers.Of({3, 5}).is_new;     // false: still 0
//
// An open-addressing table over one pool of words. Cost: some machine instructions a word; no
// allocation for a single list. Tested by numbering_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_TILING_NUMBERING_H_
#define TESSERA_SHARDING_PARTITION_TILING_NUMBERING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace tessera::sharding::partition {

// Two halves of a word.
inline uint64_t Pair(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

class Numbering {
 public:
  Numbering() {
    ends_.reserve(kRoom);
    words_.reserve(4 * kRoom);
    ends_.push_back(0);
  }

  using Words = absl::Span<const uint64_t>;
  struct Numbered {
    uint32_t number;
    bool is_new;
  };

  Numbered Of(Words words) {
    const uint32_t hash = Hash(words);
    const size_t mask = slots_.size() - 1;
    size_t i = hash & mask;
    for (; slots_[i].number != kFree; i = (i + 1) & mask) {
      if (slots_[i].hash == hash && IsList(slots_[i].number, words)) {
        return {slots_[i].number, false};
      }
    }
    slots_[i] = {hash, Append(words)};
    if (2 * size() > slots_.size()) Grow();
    return {static_cast<uint32_t>(size() - 1), true};
  }
  // Whether the list of that number equals this one; quicker than Of().
  bool IsList(uint32_t number, Words words) const {
    const size_t begin = ends_[number], size = ends_[number + 1] - begin;
    if (size != words.size()) return false;
    const uint64_t* const known = words_.data() + begin;
    uint64_t difference = 0;
    for (size_t i = 0; i < size; ++i) difference |= known[i] ^ words.data()[i];
    return difference == 0;
  }
  // The list of that number, until another one is added.
  Words list(uint32_t number) const {
    return {words_.data() + ends_[number], ends_[number + 1] - ends_[number]};
  }
  size_t size() const { return ends_.size() - 1; }

 private:
  static constexpr uint32_t kFree = 0xffffffffu;
  static constexpr size_t kRoom = 256;  // at first, in lists
  struct Slot {
    uint32_t hash = 0;
    uint32_t number = kFree;
  };

  static uint32_t Hash(Words words) {
    uint64_t hash = words.size();
    for (const uint64_t *at = words.data(), *end = at + words.size(); at != end; ++at) {
      hash = (hash ^ *at) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return static_cast<uint32_t>(hash);
  }
  uint32_t Append(Words words) {
    words_.insert(words_.end(), words.begin(), words.end());
    ends_.push_back(words_.size());
    return static_cast<uint32_t>(size() - 1);
  }
  void Grow() {
    std::vector<Slot> old(4 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number == kFree) continue;
      size_t i = slot.hash & (slots_.size() - 1);
      while (slots_[i].number != kFree) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(2 * kRoom);  // a power of two
  std::vector<size_t> ends_;                                // in the pool, one before each list too
  std::vector<uint64_t> words_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_TILING_NUMBERING_H_
