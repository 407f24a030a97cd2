// Questions about whole index maps: is this layout linear, are these two the same, how far does
// the data reach.
//
//   SameIndexMap(f32[8,128]{1,0:T(8,128)}, f32[8,128]{1,0})   // true: one tile holds it all
//   IsLinear(f32[24,128]{1,0:T(8,128)})                      // true
//   DataSpan(f32[3,5]{1,0:T(2,2)})                           // 21: the last element is at 20
//
// Regular layouts (regular_form.h) are answered without a look at the elements; others are walked,
// in time linear in the number of elements, and OutOfRange for more than 2^30 of them.

#ifndef TESSERA_TESTING_LAYOUT_INDEX_FACTS_H_
#define TESSERA_TESTING_LAYOUT_INDEX_FACTS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tessera/layout/shape.h"

namespace tessera::layout {

// True if every logical index has the same offset in both and both have the same number of slots.
// Sizes must be equal, else false; element types do not matter. Errors: those of IndexMap::Create.
absl::StatusOr<bool> SameIndexMap(const Shape& a, const Shape& b);

// True if all offsets are those of the same layout without tiles and padding. Errors as above.
absl::StatusOr<bool> IsLinear(const Shape& array);

// Largest offset of a logical element plus 1; 0 for an empty array. Errors as above.
absl::StatusOr<int64_t> DataSpan(const Shape& array);

}  // namespace tessera::layout

#endif  // TESSERA_TESTING_LAYOUT_INDEX_FACTS_H_
