// Which layout does the compiler of a TPU take for an array when nothing speaks for another one?
//
//   TpuLayoutOf(*ParseShape("f32[1024,8]"));       // f32[1024,8]{0,1:T(8,128)}
//   TpuLayoutOf(*ParseShape("bf16[3,64,256]"));    // bf16[3,64,256]{2,1,0:T(8,128)(2,1)}
//   TpuLayoutOf(*ParseShape("s8[64,256]"));        // s8[64,256]{1,0:T(32,128)(4,1)}
//   TpuTilesFor(*ParseShape("f32[1024,8]{1,0}"));  // f32[1024,8]{1,0:T(8,128)}: the order is given
//   TpuBytesOf(*ParseShape("f32[1024,8]"));        // 32768
//
// So lie the arguments and results of a program, unless its author asks for another layout. Within
// a program products, convolutions and gathers choose the order of dimensions; the tiles follow from
// the order. `Advise()` (advise.h) lists what the hardware allows; this is the one that is taken:
//
//   order   the most minor dimension and the next one that pad least, in doubt the more minor ones
//           of the default order; the others keep that order
//   rows    of the second minor dimension: its size rounded up to a power of two, at most to 8, at
//           least to the rows of the smallest tile. Elements of 4 and 8 bits take 8 rows of words,
//           T(64,128) and T(32,128), where the size is a multiple of that
//   one dimension: the same rows one after the other, 128 words, doubled up to 1024 elements
//   bytes   a multiple of 512; elements of 64 bits are two of 32
//
// Generations differ in three facts (TpuGeneration). Rules found from outside, by compiling for each
// of them. How often they are right: docs/layout.md. Tested by advise/tpu_layout_test.cc, and on all
// layouts of the compilers' modules by testing/compiled/compiled_layouts_test.cc. Cost: the square of
// the rank.

#ifndef TESSERA_LAYOUT_TPU_LAYOUT_H_
#define TESSERA_LAYOUT_TPU_LAYOUT_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"

namespace tessera::layout {

struct TpuGeneration {
  absl::string_view chip;        // as --target names it; tpu-v2 and tpu-v3 are no targets
  absl::string_view tiles;       // that it takes, by the names of NamedTileRules()
  absl::string_view tall_tiles;  // the same with those of 8 rows of words; empty: it takes none
  int narrowest_bits = 1;        // narrower elements take so many
};

// The newest one where the chip is none of them.
const TpuGeneration& TpuGenerationOf(absl::string_view chip);

// Which dimensions may be the most minor one and the next, a bit each.
struct MinorChoice {
  uint64_t minor = ~uint64_t{0}, second = ~uint64_t{0};
};

// The shape with that layout, whatever it had; what is no array, or is unbounded, as it is. Where
// `allowed` leaves no two dimensions, all are.
Shape TpuLayoutOf(const Shape& array, const TpuGeneration& generation = TpuGenerationOf(""),
                  MinorChoice allowed = {});

// The shape with the tiles for the order in its layout, row-major if it has none.
Shape TpuTilesFor(const Shape& array, const TpuGeneration& generation = TpuGenerationOf(""));

// Padding included; 0 for what is no array, or is unbounded. The largest number where bytes leave 64
// bits.
int64_t TpuBytesOf(const Shape& array, const TpuGeneration& generation = TpuGenerationOf(""),
                   MinorChoice allowed = {});

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_TPU_LAYOUT_H_
