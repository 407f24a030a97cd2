#include "tessera/pipeline/command_line/visible.h"

#include "absl/strings/str_cat.h"
#include "tessera/text/formats/utf8.h"

namespace tessera::pipeline {
namespace {

// ESC, DEL and their like, also those after ASCII (U+0080 to U+009F).
bool IsControl(absl::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 2)
    return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
  return (first < ' ' && first != '\n' && first != '\t') || first == 0x7f;
}

}  // namespace

std::string Visible(absl::string_view text) {
  std::string out;
  while (!text.empty()) {
    const text::Utf8Piece piece = text::FirstPiece(text);
    const absl::string_view bytes = text.substr(0, piece.size);
    if (piece.is_character && !IsControl(bytes)) {
      absl::StrAppend(&out, bytes);
    } else {
      for (const char c : bytes) {
        absl::StrAppend(&out, "\\x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
      }
    }
    text.remove_prefix(piece.size);
  }
  return out;
}

}  // namespace tessera::pipeline
