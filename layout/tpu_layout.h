// Which layout does a TPU's compiler take for an array when nothing speaks for another one?
//
//   TpuLayoutOf(*ParseShape("f32[1024,8]"));       // f32[1024,8]{0,1:T(8,128)}
//   TpuLayoutOf(*ParseShape("bf16[3,64,256]"));    // bf16[3,64,256]{2,1,0:T(8,128)(2,1)}
//   TpuLayoutOf(*ParseShape("s8[64,256]"));        // s8[64,256]{1,0:T(32,128)(4,1)}
//
// So lie the arguments and results of a program, unless its author asks for another layout. Of the
// arrays of 1 MiB and more within, half lie so, and nine in ten have that size: products choose the
// order of others. `Advise()` (advise.h) lists what the hardware allows; this is the one that is
// taken:
//
//   order   the most minor dimension and the next one that pad least, in doubt the more minor ones
//           of the default order; the others keep that order
//   rows    of the second minor dimension: its size rounded up to 1, 2, 4 or 8, at least the
//           elements that share a word of 32 bits. Elements of 4 and 8 bits take as many whole words
//           as 8 rows have, T(64,128) and T(32,128), where the size is a multiple of that
//   one dimension: T(128) words, doubled up to 1024 elements
//
// A rule found from outside, the same on v5e, v5p and v6e; elements of 64 bits lie as two of 32, so
// that for them only the order says something. How often it is right: docs/layout.md. Tested by
// advise/tpu_layout_test.cc, and on the compilers' modules by testing/compiled/layouts.py. Cost: the
// square of the rank.

#ifndef TESSERA_LAYOUT_TPU_LAYOUT_H_
#define TESSERA_LAYOUT_TPU_LAYOUT_H_

#include "tessera/layout/shape.h"

namespace tessera::layout {

// The shape with that layout, whatever it had; what is no array, or is unbounded, as it is.
Shape TpuLayoutOf(const Shape& array);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_TPU_LAYOUT_H_
