// Bytes of some elements of an array, as its layout stores them.
//
//   ElementBytes(*ParseShape("s4[16]{0:E(4)}"), 3);   // 2: packed, two in a byte
//   ElementBytes(*ParseShape("s4[16]"), 3);           // 3: one byte each
//
// Without padding: what is sent or read of an array, not what it takes (sizes.h). Tested by
// sizes_test.cc.

#ifndef TESSERA_LAYOUT_ELEMENT_BYTES_H_
#define TESSERA_LAYOUT_ELEMENT_BYTES_H_

#include <cstdint>

#include "tessera/layout/shape.h"

namespace tessera::layout {

// Rounded up to a byte; the largest number where the bytes leave 64 bits.
int64_t ElementBytes(const Shape& array, int64_t elements);

// All arrays of a shape together; an array with an unbounded dimension counts 0.
int64_t DataBytes(const Shape& shape);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_ELEMENT_BYTES_H_
