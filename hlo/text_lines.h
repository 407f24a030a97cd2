// Where the line of an instruction ends.

#ifndef TESSERA_HLO_TEXT_LINES_H_
#define TESSERA_HLO_TEXT_LINES_H_

#include <algorithm>
#include <cstddef>
#include <optional>

#include "absl/strings/string_view.h"

namespace tessera::hlo {

// The offset after the line end (or the end of the text) when nothing but blanks and a comment
// follow `offset` on its line.
inline std::optional<size_t> LineEndAfter(absl::string_view text, size_t offset) {
  const size_t next = std::min(text.find_first_not_of(" \t\r", offset), text.size());
  const bool ends = next == text.size() || text[next] == '\n';
  if (!ends && text.substr(next, 2) != "//") return std::nullopt;
  return std::min(std::min(text.find('\n', next), text.size()) + 1, text.size());
}

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_TEXT_LINES_H_
