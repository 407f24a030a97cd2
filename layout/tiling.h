// The sizes of an array under its tiles, level by level.
//
// Physical sizes [3,5] under T(2,2):
//
//   groups       (3 by 2) (5 by 2)      each dimension with the tile entry that cuts it
//   padded       [4,6]                  sizes rounded up to whole tiles
//   output       [2,3,2,2]              numbers of tiles, then the inside of a tile
//
// Under T(*,5) physical [2,3,4] has the lead [2] and one group, 3*4 = 12 by 5. A tile with more
// entries than there are dimensions sees ones in front. The next tile works on `output`.

#ifndef TESSERA_LAYOUT_TILING_H_
#define TESSERA_LAYOUT_TILING_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/layout/tile.h"

namespace tessera::layout {

using Sizes64 = absl::InlinedVector<int64_t, 8>;

// Adjacent dimensions of a level's input that one tile entry cuts together: more than one only if
// the tile has stars.
struct TileGroup {
  int64_t first = 0;  // place of the first one in `input`
  int64_t count = 1;
  int64_t size = 1;  // product of their sizes
  int64_t tile = 1;

  int64_t tiles() const { return size / tile + (size % tile != 0); }
  int64_t padded() const { return tiles() * tile; }
};

struct TileLevel {
  Sizes64 input;          // with the ones in front
  int64_t prepended = 0;  // how many ones
  int64_t lead = 0;       // how many entries of `input` (ones included) the tile leaves alone
  absl::InlinedVector<TileGroup, 4> groups;
  Sizes64 output;  // lead, numbers of tiles, tile sizes

  // Lead sizes followed by the groups' sizes, before and after padding.
  Sizes64 Combined() const;
  Sizes64 Padded() const;
};

struct Tiling {
  Sizes64 physical;  // sizes from most major to most minor
  std::vector<TileLevel> levels;
  int64_t elements = 1;  // product of the final sizes

  // Sizes after the last level.
  const Sizes64& final_sizes() const { return levels.empty() ? physical : levels.back().output; }
};

// Applies `tiles` to sizes >= 0. Tile entries must be positive or Tile::kCombine, the last one of a
// tile positive. Fails with V_PADDED_OVERFLOW when a product leaves int64.
absl::StatusOr<Tiling> ApplyTiles(absl::Span<const int64_t> physical, absl::Span<const Tile> tiles);

// Product of the sizes, in int64; false if it leaves it. An empty list has product 1.
bool ProductFits(absl::Span<const int64_t> sizes, int64_t* product);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_TILING_H_
