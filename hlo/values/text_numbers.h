// Texts that stand in a module again and again, by number: 0, 1, 2, .. in the order in which they
// are added. A vector beside it has the facts about each text.
//
//   TextNumbers numbers;
//   std::vector<Shape> shapes;
//   const uint32_t hash = HashText(text);
//   uint32_t n = numbers.Find(text, hash);
//   if (n == TextNumbers::kNone) {
//     numbers.Add(text, hash);
//     shapes.push_back(Read(text));
//   }
//
// Texts of different kinds, also equal ones, have numbers of their own. Open addressing, at most
// half full; no memory before the first text. Only the place of a text is kept, which must stay as
// it is.

#ifndef TESSERA_HLO_VALUES_TEXT_NUMBERS_H_
#define TESSERA_HLO_VALUES_TEXT_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/values/hash.h"

namespace tessera::hlo {

class TextNumbers {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  // `hash` is HashText(text) of hash.h, here and below. kNone for a text that is not there.
  uint32_t Find(absl::string_view text, uint32_t hash, uint32_t kind = 0) const {
    if (slots_.empty()) return kNone;
    const size_t mask = slots_.size() - 1;
    for (size_t i = First(hash, kind); slots_[i & mask].number != kNone; ++i) {
      const Slot& slot = slots_[i & mask];
      const bool is_like = slot.hash == hash && slot.kind == kind;
      if (is_like && SameText(text, {slot.text, slot.size})) return slot.number;
    }
    return kNone;
  }

  // Gives the next number to a text that is not there yet.
  void Add(absl::string_view text, uint32_t hash, uint32_t kind = 0) {
    if (2 * (count_ + 1) > slots_.size()) Grow();
    Put({text.data(), static_cast<uint32_t>(text.size()), hash, kind, count_});
    ++count_;
  }

 private:
  struct Slot {
    const char* text = nullptr;
    uint32_t size = 0;
    uint32_t hash = 0;
    uint32_t kind = 0;
    uint32_t number = kNone;
  };
  static constexpr size_t kFewSlots = 16;

  static size_t First(uint32_t hash, uint32_t kind) { return hash + kind * 0x9e3779b1u; }
  void Put(const Slot& slot) {
    const size_t mask = slots_.size() - 1;
    size_t i = First(slot.hash, slot.kind);
    while (slots_[i & mask].number != kNone) ++i;
    slots_[i & mask] = slot;
  }
  void Grow() {
    std::vector<Slot> old(slots_.empty() ? kFewSlots : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != kNone) Put(slot);
    }
  }

  std::vector<Slot> slots_;
  uint32_t count_ = 0;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_VALUES_TEXT_NUMBERS_H_
