// Which layout that the hardware allows wastes least memory?
//
//   StatusOr<Advice> a = Advise(*ParseShape("s32[8388608,8,4]{2,1,0:T(8,128)}"),
//                               *NamedTileRules("tpu"));
//   a->current_bytes;         // 32 GiB
//   a->best;                  // s32[8388608,8,4]{0,1,2:T(8,128)}
//   a->best_bytes;            // 1 GiB
//   a->remarks;               // "dimension 2 (minor) of size 4 is padded to 128: 32x", ...
//
// Padded bytes depend on which dimension is minor, which is second minor, and on the tiles; so all
// ordered pairs are tried with all tiles, the other dimensions keeping their order. Which layouts
// the users of the array want is outside this question.

#ifndef TESSERA_LAYOUT_ADVISE_H_
#define TESSERA_LAYOUT_ADVISE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/tile_rules.h"

namespace tessera::layout {

struct Advice {
  int64_t data_bytes = 0;     // of the elements alone, packed as the best layout packs them
  int64_t current_bytes = 0;  // padded, under the layout that was given
  Shape best;
  int64_t best_bytes = 0;
  std::vector<Shape> equals;  // every candidate with the bytes of the best one, itself first
  Shape same_order_best;      // the best one that keeps the order of dimensions
  int64_t same_order_bytes = 0;
  bool already_optimal = false;      // current_bytes == best_bytes
  std::vector<std::string> remarks;  // what pads, what helps, what to beware of
};

// Of equally small candidates the one with the taller first tile wins, then the one whose order is
// nearer to the current one. Then the lexicographically larger minor_to_major wins. The memory
// space is kept. Errors: as SizesOf; kNotArray.
absl::StatusOr<Advice> Advise(const Shape& array, const TileRules& rules);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_ADVISE_H_
