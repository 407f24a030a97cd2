// Where the bits of a slot are, for those who read and write elements.
//
//   StatusOr<SlotPlace> p = PlaceOfSlot(*ParseShape("s4[8]{0:E(4)}"), 3);
//   p->byte, p->shift, p->bits;    // 1, 4, 4: the upper half of byte 1
//
// Of elements that share a byte the one with the smaller offset has the lower bits.

#ifndef TESSERA_LAYOUT_SLOT_PLACE_H_
#define TESSERA_LAYOUT_SLOT_PLACE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tessera/layout/shape.h"

namespace tessera::layout {

struct SlotPlace {
  int64_t byte = 0;  // from the start of the data, after a prefix M
  int shift = 0;     // of the lowest bit, in that byte
  int64_t bits = 0;
};

// `array` is a valid array or buffer, `offset` one of its slots. Error kOddElementBits if elements
// are not of 1, 2 or 4 bits or of whole bytes: those have sizes, but no places.
absl::StatusOr<SlotPlace> PlaceOfSlot(const Shape& array, int64_t offset);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_SLOT_PLACE_H_
