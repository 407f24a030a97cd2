#include "tessera/layout/draw.h"

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tessera/layout/error.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout {
namespace {

struct Row {
  const char* text;
  const char* picture;
};

// The lines above the grid are the same in all; these are the grids.
constexpr Row kGrids[] = {
    // Figure 1 of the tiled layout page: 2x2 tiles over 3x5 elements.
    {"f32[3,5]{1,0:T(2,2)}", R"(+-------+-------+-------+
|  0  1 |  4  5 |  8  . |
|  2  3 |  6  7 | 10  . |
+-------+-------+-------+
| 12 13 | 16 17 | 20  . |
|  .  . |  .  . |  .  . |
+-------+-------+-------+
)"},
    // Figure 2: two levels, 2x4 and then 2x1.
    {"bf16[4,8]{1,0:T(2,4)(2,1)}", R"(+-------------+-------------+
|  0  2  4  6 |  8 10 12 14 |
|  1  3  5  7 |  9 11 13 15 |
+-------------+-------------+
| 16 18 20 22 | 24 26 28 30 |
| 17 19 21 23 | 25 27 29 31 |
+-------------+-------------+
)"},
    {"f32[0]", "(empty)\n"},
    {"b(u8[2]{0:T(3)})", "+-------+\n| 0 1 . |\n+-------+\n"},
};

TEST(DrawTest, Grids) {
  for (const Row& row : kGrids) {
    const absl::StatusOr<std::string> picture = Draw(ShapeFrom(row.text));
    ASSERT_TRUE(picture.ok()) << row.text;
    EXPECT_TRUE(absl::EndsWith(*picture, row.picture)) << *picture;
  }
}

TEST(DrawTest, TheHeadNamesSizesAndLevels) {
  EXPECT_TRUE(absl::StartsWith(*Draw(ShapeFrom("f32[6,4]{1,0:T(4,2)(8,1)}")),
                               "f32[6,4]{1,0:T(4,2)(8,1)}\n"
                               "data 96 B, padded 256 B, waste 62.5 %\n"
                               "T(4,2): [6,4] pad [8,4] -> [2,2,4,2]\n"
                               "T(8,1): [2,2,4,2] pad [2,2,8,2] -> [2,2,1,2,8,1]\n"));
}

TEST(DrawTest, CombinedDimensionsAreDrawnAsOne) {
  EXPECT_EQ(*Draw(ShapeFrom("u8[2,2,2]{2,1,0:T(*,3)}")),
            "u8[2,2,2]{2,1,0:T(*,3)}\n"
            "data 8 B, padded 12 B, waste 33.3 %\n"
            "T(*,3): [2,4] pad [2,6] -> [2,2,3]\n"
            "+----------+----------+\n"
            "|  0  1  2 |  3  .  . |\n"
            "|  6  7  8 |  9  .  . |\n"
            "+----------+----------+\n");
}

TEST(DrawTest, LargeArraysAreCut) {
  const std::string picture = *Draw(ShapeFrom("u8[9,70,66]{2,1,0:T(8,40)}"));
  EXPECT_TRUE(absl::StrContains(picture, "... 8 more rows\n... 16 more columns\n"));
  EXPECT_TRUE(absl::EndsWith(picture, "... 1 more slices\n"));
}

TEST(DrawTest, TuplesAreDrawnLeafByLeaf) {
  EXPECT_EQ(*Draw(ShapeFrom("(u8[1], token[], (u8[]))")),
            "u8[1]{0}\ndata 1 B, padded 1 B, waste 0.0 %\n+---+\n| 0 |\n+---+\n\n"
            "u8[]\ndata 1 B, padded 1 B, waste 0.0 %\n+---+\n| 0 |\n+---+\n");
}

TEST(DrawTest, Errors) {
  EXPECT_EQ(ErrorCode(Draw(ShapeFrom("token[]")).status()), "kNotArray");
  EXPECT_EQ(ErrorCode(Draw(ShapeFrom("(u8[1], u8[?])")).status()), "kUnbounded");
}

TEST(DrawTest, Memory) {
  EXPECT_EQ(*DrawMemory(ShapeFrom("f32[2,3]{1,0:T(2,2)L(9)}")), "0,0 0,1 1,0 1,1 0,2 . 1,2 . .");
  EXPECT_EQ(*DrawMemory(ShapeFrom("u8[]{:T(2)}")), "() .");
  EXPECT_EQ(*DrawMemory(ShapeFrom("u8[0]")), "");
  EXPECT_TRUE(absl::EndsWith(*DrawMemory(ShapeFrom("u8[65537]")), " 65535 ... 1 more slots"));
}

}  // namespace
}  // namespace tessera::layout
