#include "tessera/layout/relayout/plan/fold.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::layout::relayout {
namespace {

using ::testing::ElementsAre;

Nest NestOf(int64_t src_bits, int64_t dst_bits, Loops loops) {
  Nest nest;
  nest.src_bits = src_bits;
  nest.dst_bits = dst_bits;
  nest.loops = std::move(loops);
  return nest;
}

TEST(FoldTest, TwoByTwoBecomesOneElement) {
  const auto folded = FoldSquare(NestOf(16, 16, {{5, 640, 64}, {2, 16, 32}, {2, 32, 16}}));
  ASSERT_TRUE(folded.has_value());
  EXPECT_EQ(folded->nest.src_bits, 64);
  EXPECT_THAT(folded->nest.loops, ElementsAre(Loop{5, 640, 64}));
  EXPECT_THAT(folded->shuffle, ElementsAre(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15));
}

TEST(FoldTest, ShortSideFirst) {
  // Rows of 4 bytes on one side, of 2 on the other.
  const auto folded = FoldSquare(NestOf(8, 8, {{4, 8, 16}, {2, 32, 8}}));
  ASSERT_TRUE(folded.has_value());
  EXPECT_THAT(folded->shuffle, ElementsAre(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15));
}

TEST(FoldTest, NoSquare) {
  EXPECT_FALSE(FoldSquare(NestOf(16, 16, {{2, 16, 64}, {2, 32, 16}})).has_value());
  EXPECT_FALSE(FoldSquare(NestOf(8, 8, {{3, 8, 24}, {3, 24, 8}})).has_value());
  EXPECT_FALSE(FoldSquare(NestOf(64, 64, {{2, 64, 128}, {2, 128, 64}})).has_value());
  EXPECT_FALSE(FoldSquare(NestOf(16, 16, {{4, 32, 16}})).has_value());
}

TEST(FoldTest, NibblesInPairs) {
  const auto folded = FoldNibbles(NestOf(4, 4, {{6, 80, 4}, {20, 4, 24}}));
  ASSERT_TRUE(folded.has_value());
  EXPECT_EQ(folded->staging.kind, StageKind::kPair);
  EXPECT_EQ(folded->staging.apart, 10);
  EXPECT_EQ(folded->staging.halves, 2);
  EXPECT_EQ(folded->staging.dst_apart, 3);
  EXPECT_THAT(folded->nest.loops, ElementsAre(Loop{3, 160, 8}, Loop{10, 8, 48}));
}

TEST(FoldTest, NibblesToAndFromBytes) {
  const auto packed = FoldNibbles(NestOf(8, 4, {{6, 8, 4}}));
  ASSERT_TRUE(packed.has_value());
  EXPECT_EQ(packed->staging.kind, StageKind::kPair);
  EXPECT_EQ(packed->staging.apart, 1);
  EXPECT_EQ(packed->staging.halves, 1);
  const auto unpacked = FoldNibbles(NestOf(4, 8, {{6, 4, 8}}));
  ASSERT_TRUE(unpacked.has_value());
  EXPECT_EQ(unpacked->staging.kind, StageKind::kHalf);
  EXPECT_EQ(unpacked->staging.halves, 2);
  EXPECT_EQ(unpacked->staging.dst_apart, 1);
}

TEST(FoldTest, OddNibbles) {
  EXPECT_FALSE(FoldNibbles(NestOf(4, 4, {{5, 80, 4}, {20, 4, 20}})).has_value());
  EXPECT_FALSE(FoldNibbles(NestOf(4, 4, {{6, 84, 4}, {20, 4, 24}})).has_value());
  EXPECT_FALSE(FoldNibbles(NestOf(2, 2, {{6, 80, 2}, {20, 2, 24}})).has_value());
}

}  // namespace
}  // namespace tessera::layout::relayout
