// Every small array under every small tiling, through both engines.

#include <vector>

#include "gtest/gtest.h"
#include "tessera/layout/shape.h"
#include "tessera/testing/layout/map_checks.h"
#include "tessera/testing/layout/small_layouts.h"

namespace tessera::layout {
namespace {

Shape F32(const std::vector<int64_t>& dims, Layout layout, std::vector<Tile> tiles) {
  layout.tiles.assign(tiles.begin(), tiles.end());
  return Shape::Array(ElementType::kF32, dims, std::move(layout));
}

TEST(ExhaustiveTest, OneTile) {
  const std::vector<Tile> tiles = SmallTiles(3, 4);
  for (const auto& dims : SmallDims(3, 0, 4)) {
    for (const Layout& order : AllOrders(static_cast<int64_t>(dims.size()))) {
      for (const Tile& tile : tiles) {
        ASSERT_EQ(CheckAgainstSlowMap(F32(dims, order, {tile})), "");
      }
    }
  }
}

TEST(ExhaustiveTest, TwoTiles) {
  const std::vector<Tile> tiles = SmallTiles(3, 3);
  for (const auto& dims : SmallDims(3, 1, 3)) {
    const Layout order = Layout::Descending(static_cast<int64_t>(dims.size()));
    for (const Tile& first : tiles) {
      for (const Tile& second : tiles) {
        ASSERT_EQ(CheckAgainstSlowMap(F32(dims, order, {first, second})), "");
      }
    }
  }
}

TEST(ExhaustiveTest, ThreeTilesAndATail) {
  const std::vector<Tile> tiles = SmallTiles(2, 3);
  for (const auto& dims : SmallDims(2, 1, 4)) {
    for (const Tile& first : tiles) {
      for (const Tile& second : tiles) {
        for (const Tile& third : tiles) {
          Layout order = Layout::Ascending(static_cast<int64_t>(dims.size()));
          order.tail_alignment = 5;
          ASSERT_EQ(CheckAgainstSlowMap(F32(dims, order, {first, second, third})), "");
        }
      }
    }
  }
}

}  // namespace
}  // namespace tessera::layout
