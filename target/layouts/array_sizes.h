// How a target keeps arrays in its memory when nothing speaks for another layout: at the borders of a
// program, and mostly within.
//
//   ArraySizes sizes(*ParseTarget("tpu-v5e:4x4")->chip);
//   sizes.Laid(*ParseShape("f32[1024,8]"));      // f32[1024,8]{0,1:T(8,128)}
//   sizes.BytesOf(shape);                        // 32768
//
// A TPU takes the layout of layout/tpu_layout.h, where every array is a multiple of 512 bytes. Others
// have row-major arrays without padding.
//
// Each distinct shape is looked at once for each order that it may have. Tested by array_sizes_test.cc.

#ifndef TESSERA_TARGET_LAYOUTS_ARRAY_SIZES_H_
#define TESSERA_TARGET_LAYOUTS_ARRAY_SIZES_H_

#include <cstdint>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/tpu_layout.h"
#include "tessera/target/target.h"

namespace tessera::target {

using layout::MinorChoice;

class ArraySizes {
 public:
  // `chip` must outlive this.
  explicit ArraySizes(const Chip& chip)
      : chip_(chip), generation_(layout::TpuGenerationOf(chip.name)) {}

  // Padding included; 0 for what is no array. The largest number where bytes leave 64 bits. Shapes
  // must stay where they are. `choice`: an order that is not quite free (layout_preferences.h).
  int64_t BytesOf(const layout::Shape& array, MinorChoice choice = {});
  layout::Shape Laid(const layout::Shape& array) const;
  layout::Shape Laid(const layout::Shape& array, MinorChoice choice) const;
  // With the tiles for the order in its layout; on what is no TPU as it is.
  layout::Shape WithTiles(const layout::Shape& array) const;
  // Of a result that is a tuple of so many arrays: its table of pointers.
  int64_t TableBytes(int64_t arrays) const;

 private:
  const Chip& chip_;
  const layout::TpuGeneration& generation_;  // of a TPU
  // By shape, and what its order may be.
  absl::flat_hash_map<std::tuple<const layout::Shape*, uint64_t, uint64_t>, int64_t> bytes_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_LAYOUTS_ARRAY_SIZES_H_
