#include "tessera/layout/relayout/kernels/bits.h"

#include <algorithm>
#include <cstring>

namespace tessera::layout::relayout {
namespace {

// Bits that can be moved in one go: as far as the byte goes, on each side that matters.
int64_t RestOfByte(int64_t at) { return 8 - at % 8; }

void SetBits(uint8_t value, uint8_t* dst, int64_t to, int64_t count) {
  const int shift = static_cast<int>(to % 8);
  const uint8_t mask = static_cast<uint8_t>(((1 << count) - 1) << shift);
  dst[to / 8] = static_cast<uint8_t>((dst[to / 8] & ~mask) | ((value << shift) & mask));
}

}  // namespace

void CopyBits(const uint8_t* src, int64_t from, uint8_t* dst, int64_t to, int64_t count) {
  while (count > 0) {
    if ((from | to) % 8 == 0 && count >= 8) {
      const int64_t bytes = count / 8;
      std::memcpy(dst + to / 8, src + from / 8, bytes);
      from += bytes * 8;
      to += bytes * 8;
      count -= bytes * 8;
      continue;
    }
    const int64_t step = std::min({count, RestOfByte(from), RestOfByte(to)});
    SetBits(static_cast<uint8_t>(src[from / 8] >> (from % 8)), dst, to, step);
    from += step;
    to += step;
    count -= step;
  }
}

void ClearBits(uint8_t* dst, int64_t to, int64_t count) {
  while (count > 0) {
    const int64_t step = std::min(count, RestOfByte(to));
    SetBits(0, dst, to, step);
    to += step;
    count -= step;
  }
}

}  // namespace tessera::layout::relayout
