// Every small layout, for tests that want them all.

#ifndef TESSERA_TESTING_LAYOUT_SMALL_LAYOUTS_H_
#define TESSERA_TESTING_LAYOUT_SMALL_LAYOUTS_H_

#include <cstdint>
#include <vector>

#include "tessera/layout/layout.h"
#include "tessera/layout/tile.h"

namespace tessera::layout {

// All tiles of 1 to `rank` entries, each 1 to `size` or, but for the last one, a star.
std::vector<Tile> SmallTiles(int64_t rank, int64_t size);

// All lists of 0 to `rank` sizes, each `least` to `most`.
std::vector<std::vector<int64_t>> SmallDims(int64_t rank, int64_t least, int64_t most);

// All orders of `rank` dimensions.
std::vector<Layout> AllOrders(int64_t rank);

}  // namespace tessera::layout

#endif  // TESSERA_TESTING_LAYOUT_SMALL_LAYOUTS_H_
