#include "tessera/text/formats/utf8.h"

namespace tessera::text {
namespace {

// By the first byte; 1 for one that begins no longer character.
size_t SizeBy(unsigned char lead) {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

}  // namespace

Utf8Piece FirstPiece(absl::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, true};
  // Of the second byte; the others are 0x80 to 0xbf.
  unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  const size_t size = SizeBy(lead);
  size_t good = 1;
  for (; good < size && good < text.size(); ++good) {
    const auto byte = static_cast<unsigned char>(text[good]);
    if (byte < low || byte > high) break;
    low = 0x80;
    high = 0xbf;
  }
  return {good, size > 1 && good == size};
}

}  // namespace tessera::text
