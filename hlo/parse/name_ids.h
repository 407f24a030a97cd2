// The names of the instructions of one computation, or of the computations of a module.
//
//   NameIds names;
//   const uint64_t hash = names.HashOf("dot.7");
//   names.AddNew("dot.7", hash, 12, name_of);         // false if it is there already
//   names.Find("dot.7", hash, name_of);               // 12
//
// A use is found by the 64 bits of its hash alone: one cache line, and neither the row of the
// instruction nor its name in the text. Two names with one hash are noticed when the second is
// added; from then on texts are compared. The hash depends on a seed of the table. So nobody can
// write a text in which an undefined name has the hash of another one.
//
// Open addressing over (hash, id), at most half full. The names themselves stay in the text.

#ifndef TESSERA_HLO_PARSE_NAME_IDS_H_
#define TESSERA_HLO_PARSE_NAME_IDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/values/hash.h"

namespace tessera::hlo {

// Reads sixteen bytes at a time. After the name must stand fifteen readable bytes.
inline uint64_t HashName(absl::string_view name, uint64_t seed) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15u;
  const auto word = [](const char* p, size_t size) {  // its first bytes, 0 to 8 of them
    uint64_t bytes = 0;
    std::memcpy(&bytes, p, 8);
    return size >= 8 ? bytes : bytes & ((uint64_t{1} << 8 * size) - 1);
  };
  const auto mix = [seed](uint64_t a, uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{a ^ seed} * (b ^ (seed << 32 | seed >> 32));
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  };
  const char* p = name.data();
  size_t size = name.size();
  uint64_t hash = size * kOdd;
  for (; size > 16; size -= 16, p += 16) hash = mix(hash ^ word(p, 8), hash + word(p + 8, 8));
  return mix(hash ^ word(p, size), hash + word(p + 8, size > 8 ? size - 8 : 0));
}

class NameIds {
 public:
  void Clear() {
    slots_.resize(kFewSlots);
    std::fill(slots_.begin(), slots_.end(), Slot{});
    count_ = 0;
    has_equal_hashes_ = false;
  }

  // Of a name in the text of a source.
  uint64_t HashOf(absl::string_view name) const { return HashName(name, seed_); }
  // For a name that is looked up soon.
  void Prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
  // kNoId if it is not there. `name_of(id)` gives the name of an id that is in the table.
  template <typename NameOf>
  uint32_t Find(absl::string_view name, uint64_t hash, const NameOf& name_of) const {
    const size_t mask = slots_.size() - 1;
    for (size_t i = hash & mask; slots_[i].id != kNoId; i = (i + 1) & mask) {
      if (slots_[i].hash != hash) continue;
      if (!has_equal_hashes_ || SameText(name_of(slots_[i].id), name)) return slots_[i].id;
    }
    return kNoId;
  }
  // False if the name is there.
  template <typename NameOf>
  bool AddNew(absl::string_view name, uint64_t hash, uint32_t id, const NameOf& name_of) {
    if (2 * (count_ + 1) > slots_.size()) Grow();
    const size_t mask = slots_.size() - 1;
    size_t i = hash & mask;
    for (; slots_[i].id != kNoId; i = (i + 1) & mask) {
      if (slots_[i].hash != hash) continue;
      if (SameText(name_of(slots_[i].id), name)) return false;
      has_equal_hashes_ = true;
    }
    slots_[i] = {hash, id};
    ++count_;
    return true;
  }

 private:
  struct Slot {
    uint64_t hash = 0;
    uint32_t id = kNoId;
  };
  static constexpr size_t kFewSlots = 32;
  static constexpr size_t kGrowth = 2;

  void Put(Slot slot) {
    const size_t mask = slots_.size() - 1;
    size_t i = slot.hash & mask;
    while (slots_[i].id != kNoId) i = (i + 1) & mask;
    slots_[i] = slot;
  }
  void Grow() {
    std::vector<Slot> old(kGrowth * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.id != kNoId) Put(slot);
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(kFewSlots);
  size_t count_ = 0;
  bool has_equal_hashes_ = false;
  // Where the table lies is not known before the program runs.
  uint64_t seed_ = reinterpret_cast<uintptr_t>(this) * 0xff51afd7ed558ccdu;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_NAME_IDS_H_
