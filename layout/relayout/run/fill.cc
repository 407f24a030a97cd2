#include "tessera/layout/relayout/run/fill.h"

#include <algorithm>
#include <cstring>

#include "tessera/layout/relayout/kernels/bits.h"

namespace tessera::layout::relayout {
namespace {

// `value` in every element of a byte.
uint8_t Packed(uint64_t value, int64_t bits) {
  uint64_t byte = value & ((uint64_t{1} << bits) - 1);
  for (int64_t width = bits; width < 8; width *= 2) byte |= byte << width;
  return static_cast<uint8_t>(byte);
}

void FillPacked(uint64_t value, int64_t bits, int64_t first, int64_t last, uint8_t* buffer) {
  const int64_t begin = first * bits / 8, end = (last * bits + 7) / 8;
  std::memset(buffer + begin, Packed(value, bits), end - begin);
  ClearBits(buffer, last * bits, end * 8 - last * bits);
}

}  // namespace

void FillSlots(uint64_t value, int64_t bits, int64_t first, int64_t last, uint8_t* buffer) {
  if (first >= last) return;
  if (bits < 8) return FillPacked(value, bits, first, last, buffer);
  const int64_t bytes = bits / 8, total = (last - first) * bytes;
  uint8_t* const begin = buffer + first * bytes;
  if (value == 0) {
    std::memset(begin, 0, total);
    return;
  }
  std::memset(begin, 0, bytes);
  std::memcpy(begin, &value, std::min<int64_t>(bytes, sizeof(value)));
  for (int64_t done = bytes; done < total; done *= 2) {  // doubles what is there
    std::memcpy(begin + done, begin, std::min(done, total - done));
  }
}

}  // namespace tessera::layout::relayout
