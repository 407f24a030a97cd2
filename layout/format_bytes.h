// Byte counts for people.

#ifndef TESSERA_LAYOUT_FORMAT_BYTES_H_
#define TESSERA_LAYOUT_FORMAT_BYTES_H_

#include <cstdint>
#include <string>

namespace tessera::layout {

// "60 B", "285 MiB", "8.77 GiB": the largest unit of which there is at least one, up to two
// decimals, none where the number is whole. Negative counts get their sign.
std::string FormatBytes(int64_t bytes);

// "64x", "1.5x": a ratio with up to two decimals. Nothing divided by nothing is "1x", something by
// nothing "infx".
std::string FormatRatio(int64_t numerator, int64_t denominator);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_FORMAT_BYTES_H_
