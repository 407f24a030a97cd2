#include "tessera/text/key_table.h"

namespace tessera::text {
namespace {

constexpr size_t kFirstSize = 256;

}  // namespace

KeyTable::KeyTable() : slots_(kFirstSize, kFree) {}

uint32_t KeyTable::Add(uint64_t hash, uint64_t head, absl::Span<const uint32_t> words) {
  const uint32_t number = size();
  entries_.push_back(
      {hash, head, static_cast<uint32_t>(words_.size()), static_cast<uint32_t>(words.size())});
  words_.insert(words_.end(), words.begin(), words.end());
  if (entries_.size() * 2 <= slots_.size()) {
    Enter(number);
  } else {
    slots_.assign(slots_.size() * 2, kFree);
    for (uint32_t n = 0; n <= number; ++n) Enter(n);
  }
  return number;
}

void KeyTable::Enter(uint32_t number) {
  const size_t mask = slots_.size() - 1;
  size_t slot = entries_[number].hash & mask;
  while (slots_[slot] != kFree) slot = (slot + 1) & mask;
  slots_[slot] = number;
}

}  // namespace tessera::text
