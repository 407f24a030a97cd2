// Writing one value to every slot of a buffer.

#ifndef TESSERA_LAYOUT_RELAYOUT_RUN_FILL_H_
#define TESSERA_LAYOUT_RELAYOUT_RUN_FILL_H_

#include <cstdint>

namespace tessera::layout::relayout {

// Fills slots [first, last) of `bits` bits with the low bits of `value`. `bits` is 1, 2, 4 or a
// multiple of 8; bits of an element above the 64th become zero. For 1, 2 and 4 bits, `first` is at
// the start of a byte, and the bits after `last` in its byte become zero.
void FillSlots(uint64_t value, int64_t bits, int64_t first, int64_t last, uint8_t* buffer);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_RUN_FILL_H_
