// Copies of texts, one after the other, that stay where they are while the arena lives.
//
//   TextArena arena;
//   absl::string_view kept = arena.Keep("{devices=[2,1]", "<=[2]}");   // both as one
//
// After each text stands a zero byte, and kPadding of them after the last one of a chunk, as
// after a Source: scanners look ahead. Chunks are 4 KiB, 8 KiB, .., 256 KiB: many texts fit into
// the places of freed blocks, where one buffer that doubles would not.

#ifndef TESSERA_TEXT_TEXT_ARENA_H_
#define TESSERA_TEXT_TEXT_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/text/source.h"

namespace tessera::text {

class TextArena {
 public:
  absl::string_view Keep(absl::string_view text, absl::string_view more = {}) {
    const size_t size = text.size() + more.size();
    if (size >= left_) Grow(size + 1);
    char* const begin = next_;
    *std::copy(more.begin(), more.end(), std::copy(text.begin(), text.end(), begin)) = '\0';
    next_ += size + 1;
    left_ -= size + 1;
    return absl::string_view(begin, size);
  }
  // Room for a text of at most so many characters, and the text once it is written there.
  char* Room(size_t size) {
    if (size >= left_) Grow(size + 1);
    return next_;
  }
  absl::string_view KeepWritten(char* end) {
    *end = '\0';
    const absl::string_view text(next_, static_cast<size_t>(end - next_));
    left_ -= text.size() + 1;
    next_ = end + 1;
    return text;
  }
  bool empty() const { return chunks_.empty(); }
  size_t bytes() const { return bytes_; }

 private:
  void Grow(size_t bytes) {
    left_ = std::max(bytes, size_t{1} << (12 + std::min<size_t>(chunks_.size(), 6)));
    // Without zeros: most of a chunk is written over.
    chunks_.push_back(std::unique_ptr<char[]>(new char[left_ + Source::kPadding]));
    next_ = chunks_.back().get();
    std::fill_n(next_ + left_, Source::kPadding, '\0');
    bytes_ += left_;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t bytes_ = 0;
};

}  // namespace tessera::text

#endif  // TESSERA_TEXT_TEXT_ARENA_H_
