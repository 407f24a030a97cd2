// UTF-8 in bytes that may be none.
//
//   Utf8Piece piece = FirstPiece("\xc3\xa9t\xc3\xa9");      // {2, true}: a character of two bytes
//   Utf8Piece bad = FirstPiece("\xe2\x82x");                // {2, false}: the begin of a character
//
// Well-formed is what the Unicode standard calls so: no surrogates, nothing above U+10FFFF, no
// longer forms than needed. An ill-formed piece is as long as the standard recommends to replace at
// once.

#ifndef TESSERA_TEXT_FORMATS_UTF8_H_
#define TESSERA_TEXT_FORMATS_UTF8_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace tessera::text {

struct Utf8Piece {
  size_t size = 0;
  bool is_character = false;
};

// Of a text that is not empty.
Utf8Piece FirstPiece(absl::string_view text);

}  // namespace tessera::text

#endif  // TESSERA_TEXT_FORMATS_UTF8_H_
