#include "tessera/projection/map/reshape.h"

#include "gtest/gtest.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/map/factor_map.h"

namespace tessera::projection {
namespace {

struct Shapes {
  ZPoint operand, result;
};

TEST(ReshapeTest, DigitsAndRunsAgreeOnEveryBlock) {
  for (const Shapes& s : {Shapes{{4, 6}, {24}},
                          {{4, 6}, {2, 12}},
                          {{4, 6}, {3, 8}},
                          {{2, 3, 4}, {4, 3, 2}},
                          {{1, 4, 1}, {2, 2}},
                          {{}, {1, 1}},
                          {{2, 12}, {24, 1}},
                          {{6, 2}, {2, 6}}}) {
    const ZRange whole = ZRange::FromShape(s.result);
    ForEachCell(whole, [&](const ZPoint& start) {
      ForEachCell(*ZRange::Create(start, whole.end()), [&](const ZPoint& last) {
        ZPoint end = last;
        for (int d = 0; d < end.rank(); ++d) ++end[d];
        const ZRange block = *ZRange::Create(start, end);
        EXPECT_EQ(*ReshapeImage(s.operand, s.result, block),
                  *ReshapeImageByRuns(s.operand, s.result, block, 4096))
            << ShapeText(s.operand) << ShapeText(s.result) << block.ToString();
        return true;
      });
      return true;
    });
  }
}

TEST(ReshapeTest, GroupsAreTheFinest) {
  EXPECT_EQ(ReshapeGroups({2, 12, 5}, {24, 5}).size(), 2u);
  EXPECT_EQ(ReshapeGroups({4, 6}, {3, 8}).size(), 1u);
  EXPECT_FALSE(CommonDigits({4, 6}, {3, 8}).has_value());
  EXPECT_EQ(*CommonDigits({4, 6}, {2, 12}), (ZPoint{2, 2, 6}));
  EXPECT_EQ(ErrorCodeOf(ReshapeImage({4}, {5}, ZRange::FromShape({5})).status()),
            ErrorCode::kBadShape);
}

TEST(FactorMapTest, StairsAroundAFullMiddle) {
  const ZFactorMap f = *ZFactorMap::Create({{4, 8}});
  EXPECT_EQ(f.Digits(*ZRange::Parse("zr[5:20]"))->size(), 3u);
  EXPECT_EQ(*f.Cells(*ZRange::Parse("zr[1:3, 0:8]")), ZSet::OfBox(*ZRange::Parse("zr[8:24]")));
  EXPECT_EQ(f.Weights().ToString(), "[[8,1]]");
  EXPECT_EQ(ErrorCodeOf(ZFactorMap::Create({{0}}).status()), ErrorCode::kBadShape);
}

}  // namespace
}  // namespace tessera::projection
