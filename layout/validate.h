// Does a shape make sense? And the sizes that its tiles make of it.
//
//   absl::Status s = Validate(*ParseShape("f32[3,5]{1,1}"));
//   ErrorCode(s);   // "V_M2M_DUP"
//
// Parsing accepts what the grammar does. Everything else is checked here, in a fixed order, and the
// first mistake is reported: sizes that leave 64 bits, an order that is not a permutation,
// impossible tiles, splits out of range. In a tuple the sizes of all elements are checked first,
// then the layouts. An unbounded dimension is valid; questions about bytes and offsets of it are
// not.

#ifndef TESSERA_LAYOUT_VALIDATE_H_
#define TESSERA_LAYOUT_VALIDATE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/tiling.h"

namespace tessera::layout {

// Errors: V_ codes, see docs/layout.md.
absl::Status Validate(const Shape& shape);

// Physical sizes of an array or a buffer and what its tiles make of them. An array without a layout
// counts as having the default one. Errors: V_ codes of an invalid shape, kUnbounded for an
// unbounded dimension, kNotArray for a tuple, token or opaque.
absl::StatusOr<Tiling> TilingOf(const Shape& shape);

// Bits that one element takes in memory: E of the layout, else the type's storage bytes times 8.
int64_t StoredBits(const Shape& array);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_VALIDATE_H_
