// A fixed set of words, each with its number, searched in constant time; built by the compiler.
//
//   constexpr NameTable<3> kTable({"add", "copy", "dot"});
//   kTable.Find("copy");     // 1
//   kTable.Find("paste");    // -1
//
// Open addressing with linear steps in a table at least eight times as large as the set. The hash
// looks at five characters only, so that a search costs a few nanoseconds; words that agree in
// them sit next to each other.

#ifndef TESSERA_HLO_SCHEMA_NAME_TABLE_H_
#define TESSERA_HLO_SCHEMA_NAME_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"

namespace tessera::hlo {

template <size_t N>
class NameTable {
 public:
  constexpr explicit NameTable(const absl::string_view (&names)[N]) : names_{}, slots_{} {
    for (size_t i = 0; i < N; ++i) {
      names_[i] = names[i];
      size_t slot = Hash(names[i].data(), names[i].size());
      while (slots_[slot] != 0) slot = (slot + 1) % kSlots;
      slots_[slot] = static_cast<uint16_t>(i + 1);
    }
  }

  // The number of the word, -1 when it is not in the set.
  constexpr int Find(absl::string_view word) const {
    if (word.empty()) return -1;
    for (size_t slot = Hash(word.data(), word.size()); slots_[slot] != 0;
         slot = (slot + 1) % kSlots) {
      if (names_[slots_[slot] - 1] == word) return slots_[slot] - 1;
    }
    return -1;
  }

  constexpr absl::string_view name(size_t number) const { return names_[number]; }

 private:
  static constexpr size_t SlotCount() {
    size_t slots = 16;
    while (slots < 8 * N) slots *= 2;
    return slots;
  }
  static constexpr size_t kSlots = SlotCount();

  static constexpr size_t Hash(const char* s, size_t n) {
    uint32_t h = static_cast<uint32_t>(n) * 0x9e3779b1u;
    h = (h ^ static_cast<unsigned char>(s[0])) * 0x85ebca6bu;
    h = (h ^ static_cast<unsigned char>(s[n / 4])) * 0xc2b2ae35u;
    h = (h ^ static_cast<unsigned char>(s[n / 2])) * 0x85ebca6bu;
    h = (h ^ static_cast<unsigned char>(s[n - 1 - n / 4])) * 0xc2b2ae35u;
    h = (h ^ static_cast<unsigned char>(s[n - 1])) * 0x9e3779b1u;
    return (h >> 16) % kSlots;
  }

  std::array<absl::string_view, N> names_;
  std::array<uint16_t, kSlots> slots_;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_SCHEMA_NAME_TABLE_H_
