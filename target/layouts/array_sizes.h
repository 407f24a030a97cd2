// How a target keeps arrays in its memory when nothing speaks for another layout: at the borders of a
// program, and mostly within.
//
//   ArraySizes sizes(*ParseTarget("tpu-v5e:4x4")->chip);
//   sizes.Laid(*ParseShape("f32[1024,8]"));      // f32[1024,8]{0,1:T(8,128)}
//   sizes.BytesOf(shape);                        // 32768
//
// A TPU takes the order of dimensions that pads least, in doubt the one closest to row-major. The most
// minor dimension is padded to 128, the next one to 1, 2, 4 or 8, at least to as many elements as
// share a word of 32 bits; an array of one dimension to a tile of 128 to 1024 words. Elements of 64
// bits are two of 32. Every array begins at a multiple of 512 bytes. That is a rule found from
// outside; it held for each of 1,968 layouts. Others have row-major arrays without padding.
//
// Each distinct shape is looked at once. Tested by array_sizes_test.cc.

#ifndef TESSERA_TARGET_LAYOUTS_ARRAY_SIZES_H_
#define TESSERA_TARGET_LAYOUTS_ARRAY_SIZES_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "tessera/layout/shape.h"
#include "tessera/target/target.h"

namespace tessera::target {

// Which dimensions may be the most minor one and the next, a bit each.
struct MinorChoice {
  uint64_t minor = ~uint64_t{0}, second = ~uint64_t{0};
};

class ArraySizes {
 public:
  // `chip` must outlive this.
  explicit ArraySizes(const Chip& chip) : chip_(chip) {}

  // Padding included; 0 for what is no array. The largest number where bytes leave 64 bits. Shapes
  // must stay where they are.
  int64_t BytesOf(const layout::Shape& array);
  layout::Shape Laid(const layout::Shape& array) const;
  // With an order that is not quite free (layout_wishes.h).
  int64_t BytesOf(const layout::Shape& array, MinorChoice choice) const;
  layout::Shape Laid(const layout::Shape& array, MinorChoice choice) const;
  // Of a result that is a tuple of so many arrays: its table of pointers.
  int64_t TableBytes(int64_t arrays) const;

 private:
  const Chip& chip_;
  absl::flat_hash_map<const layout::Shape*, int64_t> bytes_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_LAYOUTS_ARRAY_SIZES_H_
