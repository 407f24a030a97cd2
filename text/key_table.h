// Equal keys get equal small numbers, in the order in which they first came. A key is one number
// and a list of words: the keys of a memo whose inputs are all interned.
//
//   text::KeyTable keys;
//   std::vector<Answer> answers;                            // by number of the key
//   const uint32_t n = keys.Number(opcode, shape_ids);
//   if (n == answers.size()) answers.push_back(Compute());  // the key is new
//   return answers[n];
//
// A look-up is one pass over the words for the hash and, as a rule, one more for the comparison.
//
//   words_    w w w w w w w ..               of all keys, one after the other
//   entries_  {hash, head, where the words are}       one for each key
//   slots_    open addressing, a power of two, at most half full: number of a key, or free

#ifndef TESSERA_TEXT_KEY_TABLE_H_
#define TESSERA_TEXT_KEY_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace tessera::text {

class KeyTable {
 public:
  KeyTable();

  // The number of the key (head, words); size() so far if it is new.
  uint32_t Number(uint64_t head, absl::Span<const uint32_t> words) {
    const uint64_t hash = HashOf(head, words);
    const size_t mask = slots_.size() - 1;
    for (size_t slot = hash & mask; slots_[slot] != kFree; slot = (slot + 1) & mask) {
      const Entry& entry = entries_[slots_[slot]];
      if (entry.hash == hash && IsKeyOf(entry, head, words)) return slots_[slot];
    }
    return Add(hash, head, words);
  }

  uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }

 private:
  static constexpr uint32_t kFree = 0xffffffffu;

  struct Entry {
    uint64_t hash = 0;
    uint64_t head = 0;
    uint32_t begin = 0;
    uint32_t size = 0;
  };

  static uint64_t HashOf(uint64_t head, absl::Span<const uint32_t> words) {
    uint64_t hash = Mix(head + words.size());
    for (const uint32_t word : words) hash = Mix(hash ^ word);
    return hash;
  }
  static uint64_t Mix(uint64_t x) {
    x *= 0x9e3779b97f4a7c15u;
    return x ^ (x >> 32);
  }
  bool IsKeyOf(const Entry& entry, uint64_t head, absl::Span<const uint32_t> words) const {
    if (entry.head != head || entry.size != words.size()) return false;
    const uint32_t* own = words_.data() + entry.begin;
    for (const uint32_t word : words) {
      if (*own++ != word) return false;
    }
    return true;
  }

  uint32_t Add(uint64_t hash, uint64_t head, absl::Span<const uint32_t> words);
  void Enter(uint32_t number);

  std::vector<uint32_t> words_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;
};

}  // namespace tessera::text

#endif  // TESSERA_TEXT_KEY_TABLE_H_
