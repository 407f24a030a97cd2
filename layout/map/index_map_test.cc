#include "tessera/layout/index_map.h"

#include <vector>

#include "gtest/gtest.h"
#include "tessera/layout/error.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout {
namespace {

struct Row {
  const char* text;
  std::vector<int64_t> index;
  int64_t offset;
};

TEST(IndexMapTest, Elements) {
  const Row rows[] = {
      {"f32[3,5]{1,0:T(2,2)}", {2, 3}, 17},
      {"f32[3,5]{1,0:T(2,2)}", {0, 0}, 0},
      {"f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", {1, 3, 5, 7, 9}, 9484},
      {"bf16[4,8]{1,0:T(2,4)(2,1)}", {3, 4}, 25},
      {"f32[8]{0:T(2,2)}", {5}, 9},
      {"u32[]{:T(128)}", {}, 0},
      {"f32[4,4]{1,0:T(2,2)(2,1,2)}", {2, 3}, 11},
      {"bf16[2048]{0:T(1024)(128)(2,1)}", {128}, 1},
      {"bf16[2,8,128]{2,1,0:T(8,128)(2,1)}", {0, 2, 0}, 256},
      {"f32[2,3]{0,1}", {1, 2}, 5},
  };
  for (const Row& row : rows) {
    const absl::StatusOr<IndexMap> map = IndexMap::Create(ShapeFrom(row.text));
    ASSERT_TRUE(map.ok()) << row.text;
    EXPECT_EQ(*map->Offset(row.index), row.offset) << row.text;
    const auto index = *map->IndexAt(row.offset);
    ASSERT_TRUE(index.has_value()) << row.text;
    EXPECT_EQ(std::vector<int64_t>(index->begin(), index->end()), row.index) << row.text;
  }
}

// The worked example of a second tile: bf16[4,8]{1,0:T(2,4)(2,1)}.
TEST(IndexMapTest, TwoLevelsGatherPairsOfRows) {
  const IndexMap map = *IndexMap::Create(ShapeFrom("bf16[4,8]{1,0:T(2,4)(2,1)}"));
  for (int64_t row = 0; row < 4; ++row) {
    for (int64_t column = 0; column < 8; ++column) {
      const int64_t expected = row / 2 * 16 + column * 2 + row % 2;
      EXPECT_EQ(*map.Offset({row, column}), expected) << row << "," << column;
    }
  }
}

TEST(IndexMapTest, PaddingHasNoIndex) {
  const IndexMap map = *IndexMap::Create(ShapeFrom("f32[3,5]{1,0:T(2,2)L(25)}"));
  EXPECT_EQ(map.total(), 25);
  for (int64_t offset : {9, 11, 14, 15, 18, 19, 21, 22, 23, 24}) {
    EXPECT_FALSE(map.IndexAt(offset)->has_value()) << offset;
  }
}

TEST(IndexMapTest, Errors) {
  const IndexMap map = *IndexMap::Create(ShapeFrom("f32[3,5]{1,0:T(2,2)}"));
  EXPECT_EQ(ErrorCode(map.Offset({1}).status()), "kRange");
  EXPECT_EQ(ErrorCode(map.Offset({1, 5}).status()), "kRange");
  EXPECT_EQ(ErrorCode(map.Offset({-1, 0}).status()), "kRange");
  EXPECT_EQ(ErrorCode(map.IndexAt(24).status()), "kRange");
  EXPECT_EQ(ErrorCode(map.IndexAt(-1).status()), "kRange");
  EXPECT_EQ(ErrorCode(IndexMap::Create(ShapeFrom("f32[?]")).status()), "kUnbounded");
  EXPECT_EQ(ErrorCode(IndexMap::Create(ShapeFrom("token[]")).status()), "kNotArray");
}

TEST(IndexMapTest, EmptyArraysHaveNoSlots) {
  const IndexMap map = *IndexMap::Create(ShapeFrom("f32[0,3]{1,0:T(2,2)L(4)}"));
  EXPECT_EQ(map.total(), 0);
}

}  // namespace
}  // namespace tessera::layout
