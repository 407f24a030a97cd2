#include "tessera/layout/draw_svg.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tessera/layout/error.h"
#include "tessera/layout/index_map.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout {
namespace {

// The texts between `before` and the next quote, for each place of `before`.
std::vector<std::string> ValuesAfter(const std::string& text, const std::string& before) {
  std::vector<std::string> values;
  std::vector<std::string> parts = absl::StrSplit(text, before);
  for (size_t i = 1; i < parts.size(); ++i)
    values.push_back(parts[i].substr(0, parts[i].find('"')));
  return values;
}

int64_t CountOf(const std::string& text, const std::string& what) {
  return static_cast<int64_t>(ValuesAfter(text, what).size());
}

TEST(DrawSvgTest, TheStripHoldsEverySlotOnce) {
  for (const char* text :
       {"f32[3,5]{1,0:T(2,2)}", "bf16[4,8]{1,0:T(2,4)(2,1)}", "f32[]", "f32[7]",
        "f32[2,3,4]{2,0,1:T(*,5)L(7)}", "f32[6,4]{1,0:T(4,2)(8,1)}", "f32[4,4]{1,0:T(2,2)(2,1,2)}",
        "f32[0,3]{1,0:T(2,2)}", "s4[3,5]{1,0:T(2,4)E(4)}", "b(u8[9,5,2]{1,2,0})"}) {
    const Shape shape = ShapeFrom(text);
    const IndexMap map = *IndexMap::Create(shape);
    const absl::StatusOr<std::string> svg = DrawSvg(shape);
    ASSERT_TRUE(svg.ok()) << text;
    const std::vector<std::string> offsets = ValuesAfter(*svg, "data-offset=\"");
    const std::vector<std::string> indices = ValuesAfter(*svg, "data-index=\"");
    ASSERT_EQ(static_cast<int64_t>(offsets.size()), map.total()) << text;
    for (int64_t slot = 0; slot < map.total(); ++slot) {
      EXPECT_EQ(offsets[slot], absl::StrCat(slot));
      const auto index = map.IndexOf(slot);
      const std::string expected = !index.has_value() ? ""
                                   : index->empty()   ? "()"
                                                      : absl::StrJoin(*index, ",");
      EXPECT_EQ(indices[slot], expected) << text;
    }
    EXPECT_EQ(CountOf(*svg, "class=\"cell\"") + CountOf(*svg, "class=\"cell pad"), map.total());
    EXPECT_EQ(CountOf(*svg, "class=\"cell pad"), map.total() - *shape.NumElements()) << text;
  }
}

TEST(DrawSvgTest, SecondTilesAreOutlined) {
  EXPECT_GT(CountOf(*DrawSvg(ShapeFrom("bf16[4,8]{1,0:T(2,4)(2,1)}")), "class=\"second\""), 0);
  EXPECT_EQ(CountOf(*DrawSvg(ShapeFrom("f32[3,5]{1,0:T(2,2)}")), "class=\"second\""), 0);
}

TEST(DrawSvgTest, LargeArraysAreDrawnByTiles) {
  const std::string svg = *DrawSvg(ShapeFrom("f32[1000,300]{1,0:T(8,128)}"));
  EXPECT_EQ(CountOf(svg, "class=\"cell"), 0);
  EXPECT_EQ(CountOf(svg, "class=\"tile\""), 64 * 3 + 2);
  EXPECT_TRUE(absl::StrContains(svg, ">padding of tile 1: 328.12 KiB, 21.9 %<"));
}

TEST(DrawSvgTest, Errors) {
  EXPECT_EQ(ErrorCode(DrawSvg(ShapeFrom("(u8[1])")).status()), "kNotArray");
}

}  // namespace
}  // namespace tessera::layout
