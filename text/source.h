// One text that is being read: its name, its bytes, and where its lines begin.
//
//   auto source = text::Source::FromString("a.hlo", "HloModule m\n...");
//   text::Position p = source->PositionOf(12);       // {line 2, column 1}
//
// The bytes never move while the Source lives, so names and literals of what is parsed out of it
// can stay `absl::string_view` slices. After the text stand kPadding zero bytes: a scanner may
// look a few bytes ahead without a bounds check.

#ifndef TESSERA_TEXT_SOURCE_H_
#define TESSERA_TEXT_SOURCE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera::text {

// Line and column, both from 1; columns count bytes.
struct Position {
  int line = 1;
  int column = 1;
};

class Source {
 public:
  static constexpr size_t kPadding = 64;

  static std::shared_ptr<const Source> FromString(std::string name, absl::string_view text);
  // The text itself, not a copy, if it has room for kPadding bytes more.
  static std::shared_ptr<const Source> FromBuffer(std::string name, std::string text);
  // Reads a whole file; "-" is standard input (named "<stdin>"). NotFound if it cannot be opened.
  static absl::StatusOr<std::shared_ptr<const Source>> FromFile(const std::string& path);

  absl::string_view name() const { return name_; }
  absl::string_view text() const { return {buffer_.data(), buffer_.size() - kPadding}; }

  // The first call finds all line starts (linear in the text); later ones take O(log lines). An
  // offset after the text counts as its end. Not thread-safe against itself.
  Position PositionOf(size_t offset) const;
  // The line that holds `offset`, without its line end.
  absl::string_view LineAt(size_t offset) const;

 private:
  Source(std::string name, std::string buffer)
      : name_(std::move(name)), buffer_(std::move(buffer)) {}
  const std::vector<size_t>& LineStarts() const;
  size_t LineIndex(size_t offset) const;

  std::string name_;
  std::string buffer_;  // the text and kPadding zeros
  mutable std::vector<size_t> line_starts_;
};

}  // namespace tessera::text

#endif  // TESSERA_TEXT_SOURCE_H_
