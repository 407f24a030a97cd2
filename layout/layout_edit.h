// Small changes of layouts, each a pure function.
//
//   DeleteDimension(ParseLayout("{2,0,1:T(8,128)}"), 1)     // {1,0:T(8,128)}
//   MoveToMinor({1,0}, 0)                                   // {0,1}
//   HostShape(f32[4]{0:T(8)S(5)})                           // f32[4]{0}
//
// Dimensions are logical unless "physical" is said; physical dimension 0 is the most major one.

#ifndef TESSERA_LAYOUT_LAYOUT_EDIT_H_
#define TESSERA_LAYOUT_LAYOUT_EDIT_H_

#include <cstdint>

#include "absl/types/span.h"
#include "tessera/layout/layout.h"
#include "tessera/layout/shape.h"

namespace tessera::layout {

// Takes dimension `dim` out of the order; larger numbers go down by one. Splits of it go, those of
// later physical dimensions are renumbered. Everything else stays, tiles too.
Layout DeleteDimension(const Layout& layout, int64_t dim);

// Moves dimension `dim` to one end of the order; the others keep theirs.
Layout MoveToMajor(const Layout& layout, int64_t dim);
Layout MoveToMinor(const Layout& layout, int64_t dim);

// What a host would use: no tiles, S, E, L, P or M in any array.
Shape HostShape(const Shape& shape);

// Sets E of every array that has a layout: the type's width if it is sub-byte and `packed`, else 0.
Shape PackSubByte(const Shape& shape, bool packed);

// Place of every logical dimension in physical order: the inverse of Layout::Major.
Shape::Dims LogicalToPhysical(const Layout& layout);

// True if the order is strictly descending (dimension 0 is most major) or ascending.
bool IsDimZeroMajor(const Layout& layout);
bool IsDimZeroMinor(const Layout& layout);

// True if the dimensions lie beside each other in physical order, in any order among themselves.
bool AreConsecutive(const Layout& layout, absl::Span<const int64_t> dims);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_LAYOUT_EDIT_H_
