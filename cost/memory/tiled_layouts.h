// The tiles that a piece of hardware keeps arrays in, and the padding that comes with them.
//
//   const layout::TileRules rules = *layout::NamedTileRules("tpu");
//   TileForHardware(rules, &device);
//   device.shape(x);        // f32[1024,8]{1,0:T(8,128)}: 512 KiB in place of 32
//   BetterLayout(device.shape(x), rules);      // f32[1024,8]{0,1:T(8,128)}, 32 KiB
//
// Which order of dimensions a compiler picks is not in the module: the order that stands there
// counts, with the tiles that pad least. An array that has tiles keeps them; those of parameters stand
// in the header.
//
// Cost: linear in the instructions; each distinct shape is looked at once. Tested by
// device_memory_test.cc.

#ifndef TESSERA_COST_MEMORY_TILED_LAYOUTS_H_
#define TESSERA_COST_MEMORY_TILED_LAYOUTS_H_

#include <cstdint>
#include <optional>

#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/tile_rules.h"

namespace tessera::cost {

// Of every array of every instruction. What has no padded size (an unbounded array) stays.
void TileForHardware(const layout::TileRules& rules, hlo::Module* device);

bool IsTiled(const layout::Shape& array);

struct LayoutAdvice {
  layout::Shape shape;
  int64_t bytes = 0;
};

// The layout of another order of dimensions that takes less; none if there is none.
std::optional<LayoutAdvice> BetterLayout(const layout::Shape& array,
                                         const layout::TileRules& rules);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_TILED_LAYOUTS_H_
