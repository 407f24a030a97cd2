#include "tessera/projection/core/range.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/set/split.h"
#include "tessera/testing/projection/uneven_split.h"

namespace tessera::projection {
namespace {

using ::testing::ElementsAre;

ZRange R(const char* text) { return *ZRange::Parse(text); }

TEST(RangeTest, ReadsItsTexts) {
  for (const char* text : {"zr[0:2, 3:5]", "zr[]", "zr[-3:-1]", "zr[7:7]"}) {
    EXPECT_EQ(R(text).ToString(), text);
    EXPECT_EQ(*ZRange::Parse(R(text).ToJson()), R(text));
  }
  EXPECT_EQ(R(" zr[ 0 : 2 ] "), R("zr[0:2]"));
  for (const char* text : {"zr[1]", "zr[1:2", "[1:2]", "zr[a:b]", "{\"start\":[1]}"}) {
    EXPECT_EQ(ErrorCodeOf(ZRange::Parse(text).status()), ErrorCode::kParse) << text;
  }
}

TEST(RangeTest, EveryExtentIsChecked) {
  const absl::Status status = ZRange::Create({1, 0}, {0, 1}).status();
  EXPECT_EQ(status.message(), "start [1, 0] must be <= end [0, 1]");
  EXPECT_EQ(ErrorCodeOf(ZRange::Create({0}, {1, 2}).status()), ErrorCode::kRankMismatch);
  EXPECT_EQ(ErrorCodeOf(ZRange::Create({INT64_MIN}, {1}).status()), ErrorCode::kOverflow);
  EXPECT_EQ(ErrorCodeOf(R("zr[0:4000000000, 0:4000000000]").size().status()), ErrorCode::kOverflow);
}

TEST(RangeTest, DifferenceIsDisjointAndComplete) {
  const ZRange a = R("zr[0:5, 0:5]");
  for (const char* text :
       {"zr[1:3, 1:3]", "zr[-2:2, 4:9]", "zr[5:6, 0:5]", "zr[0:5, 0:5]", "zr[2:2, 0:5]"}) {
    const ZRange b = R(text);
    int64_t cells = 0;
    for (const ZRange& piece : a.Subtract(b)) {
      cells += *piece.size();
      EXPECT_FALSE(piece.Overlaps(b));
    }
    const auto both = a.Intersect(b);
    EXPECT_EQ(cells, 25 - (both.has_value() ? *both->size() : 0)) << text;
  }
}

TEST(RangeTest, EmptyBoxesKeepTheirPlace) {
  EXPECT_NE(R("zr[1:1]"), R("zr[2:2]"));
  EXPECT_TRUE(R("zr[0:4]").Contains(R("zr[4:4]")));
  EXPECT_FALSE(R("zr[0:4]").Contains(R("zr[5:5]")));
  EXPECT_TRUE(R("zr[]").Contains(ZPoint()));
  EXPECT_EQ(ErrorCodeOf(ZRange::Bounding({}).status()), ErrorCode::kEmptyList);
}

TEST(SplitTest, Parts) {
  EXPECT_THAT(*SplitByChunk(R("zr[0:10]"), -1, 4),
              ElementsAre(R("zr[0:4]"), R("zr[4:8]"), R("zr[8:10]")));
  EXPECT_THAT(*SplitEven(R("zr[0:9]"), 0, 4),
              ElementsAre(R("zr[0:3]"), R("zr[3:6]"), R("zr[6:9]"), R("zr[9:9]")));
  EXPECT_THAT(*SplitBySizes(R("zr[2:7]"), 0, {1, 4}), ElementsAre(R("zr[2:3]"), R("zr[3:7]")));
  EXPECT_EQ(SplitBySizes(R("zr[0:4]"), 0, {1, 2}).status().message(),
            "chunks [1, 2] sum to 3, dimension has 4");
  EXPECT_EQ(SplitGrid(R("zr[0:4, 0:4]"), {2, 3})->size(), 6u);
  EXPECT_EQ(ErrorCodeOf(SplitEven(R("zr[0:4]"), 1, 2).status()), ErrorCode::kBadDim);
}

TEST(PointTest, Dominance) {
  EXPECT_EQ(*ZPoint({1, 2}).Compare({1, 3}), Dominance::kLess);
  EXPECT_EQ(*ZPoint({1, 4}).Compare({2, 3}), Dominance::kIncomparable);
  EXPECT_EQ(*ZPoint().Compare(ZPoint()), Dominance::kEqual);
  EXPECT_EQ(ErrorCodeOf(ZPoint({INT64_MAX}).Plus({1}).status()), ErrorCode::kOverflow);
  EXPECT_EQ(ErrorCodeOf(ZPoint({1, 2}).Permute({0, 0}).status()), ErrorCode::kBadPermutation);
}

}  // namespace
}  // namespace tessera::projection
