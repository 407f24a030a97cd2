// Runs of bits at any place.

#ifndef TESSERA_LAYOUT_RELAYOUT_KERNELS_BITS_H_
#define TESSERA_LAYOUT_RELAYOUT_KERNELS_BITS_H_

#include <cstdint>

namespace tessera::layout::relayout {

// Copies `count` bits from bit `from` of `src` to bit `to` of `dst`. Bit 0 is the lowest of byte 0.
// Other bits of `dst` keep their values.
void CopyBits(const uint8_t* src, int64_t from, uint8_t* dst, int64_t to, int64_t count);

// Writes zeros to `count` bits from bit `to`.
void ClearBits(uint8_t* dst, int64_t to, int64_t count);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_KERNELS_BITS_H_
