// Relations between shapes, as XLA has them.
//
//   Equal(a, b)                                  // same type, sizes, dynamic flags and layout but M
//   Equal(a, b, kIgnoreLayout | kIgnoreDynamic)
//   Compatible(a, b)                             // equal but for layouts and dynamic flags
//   IsPrefix(expected, given)                    // `given` begins with the elements of `expected`
//
// `==` on Shape is stricter: it compares M as well.

#ifndef TESSERA_LAYOUT_SHAPE_EQUAL_H_
#define TESSERA_LAYOUT_SHAPE_EQUAL_H_

#include <cstdint>

#include "tessera/layout/layout.h"
#include "tessera/layout/shape.h"

namespace tessera::layout {

// Parts that a comparison may leave out; combine with `|`.
enum Ignore : uint32_t {
  kIgnoreNothing = 0,
  kIgnoreElementType = 1u << 0,
  kIgnoreFloatPrecision = 1u << 1,  // any two float types match
  kIgnoreSizes = 1u << 2,           // the rank is compared always
  kIgnoreLayout = 1u << 3,
  kIgnoreDynamic = 1u << 4,  // and an unbounded size matches every size
  kIgnoreBuffer = 1u << 5,   // a buffer matches its array
  kIgnoreTiles = 1u << 6,
  kIgnoreTail = 1u << 7,
  kIgnoreIndexType = 1u << 8,
  kIgnorePointerType = 1u << 9,
  kIgnoreElementBits = 1u << 10,
  kIgnoreMemorySpace = 1u << 11,
  kIgnoreSplits = 1u << 12,
  kIgnorePhysicalShape = 1u << 13,
  // Of the layout only the order of dimensions counts; the second form is the one XLA has for
  // layouts that stand alone.
  kMinorToMajorOnly =
      kIgnoreTiles | kIgnoreTail | kIgnoreElementBits | kIgnoreMemorySpace | kIgnoreSplits,
  kMinorToMajorOnlyInLayout =
      kMinorToMajorOnly | kIgnoreIndexType | kIgnorePointerType | kIgnorePhysicalShape,
};

// `ignore` is a union of Ignore bits. Tiles compare as written: T(2) differs from T(2)(1). The
// options hold inside tuples too.
bool Equal(const Shape& a, const Shape& b, uint32_t ignore = kIgnoreNothing);
bool Equal(const Layout& a, const Layout& b, uint32_t ignore = kIgnoreNothing);

bool Compatible(const Shape& a, const Shape& b);
bool CompatibleIgnoringElementType(const Shape& a, const Shape& b);
bool CompatibleIgnoringFloatPrecision(const Shape& a, const Shape& b);

// True if they are equal, or if `expected` is the empty tuple. Also if both are tuples, `given` has
// at least as many elements, and each element of `expected` is a prefix of its counterpart.
bool IsPrefix(const Shape& expected, const Shape& given);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_SHAPE_EQUAL_H_
