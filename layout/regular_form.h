// The closed form of an index map: offset = sum of stride * ((index[dim] / div) % mod).
//
//   bf16[4,8]{1,0:T(2,4)(2,1)}:  final sizes [2,2,1,4,2,1], so
//   offset = 16 * (i/2)  +  8 * (j/4)  +  2 * (j%4)  +  1 * (i%2)
//
// A layout without stars has this form if every later tile entry divides, or covers, the range it
// cuts: all layouts that TPUs use do. Such a layout is called regular.
//
// From the terms one gets digits: writing an index of a dimension in a mixed radix that knows all
// cuts, each digit has one constant stride. Two layouts that share the radices can be compared, or
// copied one to the other, digit by digit (see layout/relayout).

#ifndef TESSERA_LAYOUT_REGULAR_FORM_H_
#define TESSERA_LAYOUT_REGULAR_FORM_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/tiling.h"

namespace tessera::layout {

// One final coordinate: stride * ((index[dim] / div) % mod). A coordinate that is always 0 has
// no term.
struct Term {
  int64_t dim = 0;  // logical dimension
  int64_t div = 1;
  int64_t mod = 0;    // 0: no remainder is taken
  int64_t range = 1;  // size of the coordinate; the value is below it
  int64_t stride = 1;
};

using RegularForm = absl::InlinedVector<Term, 8>;  // most major coordinate first

// Nothing if the layout has a star or does not divide evenly, or the array is empty. `tiling` is
// TilingOf(array).
std::optional<RegularForm> RegularFormOf(const Shape& array, const Tiling& tiling);

// Offset of an index in range.
int64_t OffsetOf(const RegularForm& form, absl::Span<const int64_t> index);

// The place values 1 = r0 < r1 < ... of a dimension of `size` that know every cut of the terms of
// `dim_a` in `a` and of `dim_b` in `b`; each divides the next. Nothing if they do not.
std::optional<Sizes64> CommonRadices(int64_t size, const RegularForm& a, int64_t dim_a,
                                     const RegularForm& b, int64_t dim_b);

// How far the offset moves when the index of `dim` grows by `radix`, as long as no carry into the
// next radix happens. `radix` is one of a list from above.
int64_t DigitStride(const RegularForm& form, int64_t dim, int64_t radix);

// Part of 0 <= index < size in which every digit runs on its own: index = base + sum over digits of
// digit[j] * radix[j] with 0 <= digit[j] < extents[j].
struct DigitBox {
  int64_t base = 0;
  Sizes64 extents;  // one a radix, least significant first
};

// Cuts 0..size-1 into at most radices.size() boxes: 129 with radices {1,8} gives 16 eights and then
// one. No box for size 0.
std::vector<DigitBox> DigitBoxes(int64_t size, absl::Span<const int64_t> radices);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_REGULAR_FORM_H_
