// The statements and examples of XLA's page on tiled layouts, in its order.

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/layout/decompose.h"
#include "tessera/layout/draw.h"
#include "tessera/layout/error.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout {
namespace {

using ::testing::ElementsAre;

IndexMap MapOf(const std::string& text) { return *IndexMap::Create(ShapeFrom(text)); }

// Calls visit(index) for each element.
template <typename Visit>
void ForEachIndex(absl::Span<const int64_t> sizes, const Visit& visit) {
  std::vector<int64_t> index(sizes.size(), 0);
  do visit(index);
  while (NextIndex(sizes, absl::MakeSpan(index)));
}

// linear_index_with_tile of the page: floor(e/t) before e mod t, in sizes ceil(d/t) before t.
int64_t ByTheFormula(absl::Span<const int64_t> e, absl::Span<const int64_t> d,
                     const std::vector<int64_t>& t) {
  std::vector<int64_t> index, sizes;
  for (size_t i = 0; i < t.size(); ++i) {
    index.push_back(e[i] / t[i]);
    sizes.push_back((d[i] + t[i] - 1) / t[i]);
  }
  for (size_t i = 0; i < t.size(); ++i) {
    index.push_back(e[i] % t[i]);
    sizes.push_back(t[i]);
  }
  return Linearize(index, sizes);
}

TEST(WorkedExamplesTest, FigureOneAsText) {
  EXPECT_EQ(ShapeToString(ShapeFrom("f32[3,5]{1,0:T(2,2)}")), "f32[3,5]{1,0:T(2,2)}");
  // The page writes the type in capitals; the text of HLO does not.
  EXPECT_EQ(ErrorCode(ParseShape("F32[3,5]{1,0:T(2,2)}").status()), "E_TYPE");
}

TEST(WorkedExamplesTest, FigureOneInMemory) {
  EXPECT_EQ(*DrawMemory(ShapeFrom("f32[3,5]{1,0:T(2,2)}")),
            "0,0 0,1 1,0 1,1 0,2 0,3 1,2 1,3 0,4 . 1,4 . 2,0 2,1 . . 2,2 2,3 . . 2,4 . . .");
  EXPECT_EQ(SizesOf(ShapeFrom("f32[3,5]{1,0:T(2,2)}"))->total_elements, 24);
}

TEST(WorkedExamplesTest, LinearIndexWithoutTiles) {
  const IndexMap map = MapOf("f32[2,3,4]");
  ForEachIndex(map.dims(), [&](const std::vector<int64_t>& e) {
    EXPECT_EQ(map.OffsetOf(e), e[0] * 4 * 3 + e[1] * 4 + e[2]);
  });
}

TEST(WorkedExamplesTest, AShortTileCoversTheMinorDimensions) {
  const IndexMap one = MapOf("f32[3,5]{1,0:T(2,2)}"), two = MapOf("f32[2,3,5]{2,1,0:T(2,2)}");
  ForEachIndex(two.dims(), [&](const std::vector<int64_t>& e) {
    EXPECT_EQ(two.OffsetOf(e), e[0] * 24 + one.OffsetOf({e[1], e[2]}));
  });
}

TEST(WorkedExamplesTest, LinearIndexWithATile) {
  struct {
    const char* shape;
    std::vector<int64_t> tile;
  } const kCases[] = {{"f32[3,5]{1,0:T(2,2)}", {2, 2}},
                      {"f32[7]{0:T(3)}", {3}},
                      {"f32[3,4,5]{2,1,0:T(2,3,2)}", {2, 3, 2}}};
  for (const auto& c : kCases) {
    const IndexMap map = MapOf(c.shape);
    ForEachIndex(map.dims(), [&](const std::vector<int64_t>& e) {
      EXPECT_EQ(map.OffsetOf(e), ByTheFormula(e, map.dims(), c.tile)) << c.shape;
    });
  }
}

TEST(WorkedExamplesTest, ElementTwoThree) {
  const IndexMap map = MapOf("f32[3,5]{1,0:T(2,2)}");
  Sizes64 index = {2, 3};
  EnterTile(map.tiling().levels[0], &index);
  EXPECT_THAT(index, ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(map.tiling().final_sizes(), ElementsAre(2, 3, 2, 2));
  EXPECT_EQ(Linearize({1, 1}, {2, 3}) * 2 * 2 + Linearize({0, 1}, {2, 2}), 17);
  EXPECT_EQ(*map.Offset({2, 3}), 17);
}

TEST(WorkedExamplesTest, PadReshapeTranspose) {
  const std::vector<ArrayOp> ops = *Decompose(ShapeFrom("f32[3,5]{1,0:T(2,2)}"));
  ASSERT_EQ(ops.size(), 4u);
  EXPECT_EQ(ops[0].kind, ArrayOpKind::kPad);
  EXPECT_THAT(ops[0].dims, ElementsAre(4, 6));
  EXPECT_EQ(ops[1].kind, ArrayOpKind::kReshape);
  EXPECT_THAT(ops[1].dims, ElementsAre(2, 2, 3, 2));
  EXPECT_EQ(ops[2].kind, ArrayOpKind::kTranspose);
  EXPECT_THAT(ops[2].argument, ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(ops[2].dims, ElementsAre(2, 3, 2, 2));
}

TEST(WorkedExamplesTest, FigureTwo) {
  const std::vector<std::vector<int64_t>> grid = {{0, 2, 4, 6, 8, 10, 12, 14},
                                                  {1, 3, 5, 7, 9, 11, 13, 15},
                                                  {16, 18, 20, 22, 24, 26, 28, 30},
                                                  {17, 19, 21, 23, 25, 27, 29, 31}};
  const IndexMap map = MapOf("bf16[4,8]{1,0:T(2,4)(2,1)}");
  ForEachIndex(map.dims(), [&](const std::vector<int64_t>& e) {
    EXPECT_EQ(map.OffsetOf(e), grid[e[0]][e[1]]);
  });
}

// The second tile of the format for bf16 puts two rows side by side: one 32-bit word.
TEST(WorkedExamplesTest, PairsOfSixteenBits) {
  const IndexMap map = MapOf("bf16[32,512]{1,0:T(8,128)(2,1)}");
  for (int64_t row = 0; row < 32; row += 2) {
    for (int64_t column = 0; column < 512; ++column) {
      const int64_t upper = map.OffsetOf({row, column});
      EXPECT_EQ(upper % 2, 0);
      EXPECT_EQ(map.OffsetOf({row + 1, column}), upper + 1);
    }
  }
}

TEST(WorkedExamplesTest, ALaterTileInsideAndAcrossTheFirst) {
  const IndexMap first = MapOf("f32[4,4]{1,0:T(2,2)}"), inside = MapOf("f32[4,4]{1,0:T(2,2)(2,1)}");
  const IndexMap across = MapOf("f32[4,4]{1,0:T(2,2)(2,1,2)}");
  ForEachIndex(first.dims(), [&](const std::vector<int64_t>& e) {
    EXPECT_EQ(inside.OffsetOf(e) / 4, first.OffsetOf(e) / 4);
    EXPECT_EQ(across.OffsetOf(e), 4 * e[0] + e[1]);  // it undoes the first one
  });
}

TEST(WorkedExamplesTest, CombinedDimensions) {
  const IndexMap five = MapOf("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}");
  const IndexMap two = MapOf("f32[112,110]{1,0:T(2,3)}");
  EXPECT_EQ(five.total(), two.total());
  ForEachIndex(five.dims(), [&](const std::vector<int64_t>& e) {
    const int64_t row = (e[0] * 7 + e[1]) * 8 + e[2], column = e[3] * 10 + e[4];
    EXPECT_EQ(five.OffsetOf(e), two.OffsetOf({row, column}));
  });
}

TEST(WorkedExamplesTest, OneStarAtATime) {
  const IndexMap both = MapOf("f32[2,3,4,5]{3,2,1,0:T(*,*,2,3)}");
  const IndexMap one = MapOf("f32[6,4,5]{2,1,0:T(*,2,3)}"), none = MapOf("f32[24,5]{1,0:T(2,3)}");
  ForEachIndex(both.dims(), [&](const std::vector<int64_t>& e) {
    EXPECT_EQ(both.OffsetOf(e), one.OffsetOf({e[0] * 3 + e[1], e[2], e[3]}));
    EXPECT_EQ(both.OffsetOf(e), none.OffsetOf({(e[0] * 3 + e[1]) * 4 + e[2], e[3]}));
  });
}

// The page says that a combined entry is stored as -1, which is no size: in a text, only a star
// means it.
TEST(WorkedExamplesTest, TheNumberOfAStar) {
  EXPECT_EQ(ErrorCode(ParseShape("f32[3,5]{1,0:T(-1,2)}").status()), "E_TILE_DIM");
  EXPECT_EQ(ShapeFrom("f32[3,5]{1,0:T(*,2)}").layout().tiles[0].dims[0], Tile::kCombine);
}

}  // namespace
}  // namespace tessera::layout
