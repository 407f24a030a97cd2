#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/priority_fusion/gemm/dim_groups.h"
#include "tessera/target/priority_fusion/gemm/dim_parts.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(DimGroupsTest, EndWhereBothArraysHaveABound) {
  const auto groups = GroupDims({4, 64, 1, 192}, {256, 4, 48});
  ASSERT_TRUE(groups.has_value());
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_THAT((*groups)[0].from, ElementsAre(0, 1));
  EXPECT_THAT((*groups)[0].to, ElementsAre(0));
  EXPECT_TRUE((*groups)[0].Merges());
  EXPECT_THAT((*groups)[1].from, ElementsAre(3));
  EXPECT_TRUE((*groups)[1].Splits());
  EXPECT_FALSE(GroupDims({4, 6}, {25}).has_value());
}

TEST(DimGroupsTest, ABitcastGoesThroughATransposeThatKeepsItsGroupsTogether) {
  EXPECT_THAT(SizesBeforeTranspose({1, 0}, {64, 8}, {64, 2, 4}), Optional(ElementsAre(2, 4, 64)));
  EXPECT_THAT(SizesBeforeTranspose({1, 2, 0}, {8, 4, 128}, {32, 128}),
              Optional(ElementsAre(128, 32)));
  EXPECT_EQ(SizesBeforeTranspose({1, 0, 2}, {192, 4, 64}, {192, 256}), std::nullopt);
  EXPECT_EQ(SizesBeforeTranspose({2, 0, 1}, {8, 256, 16}, {8, 4, 1024}), std::nullopt);
}

TEST(DimGroupsTest, ABitcastGoesThroughABroadcastThatDoesNotMix) {
  EXPECT_THAT(SizesBeforeBroadcast({1}, {8, 64}, {8, 4, 16}), Optional(ElementsAre(4, 16)));
  EXPECT_EQ(SizesBeforeBroadcast({1}, {8, 64}, {512}), std::nullopt);
}

DimParts FreeAndContracted(int64_t free, int64_t contracted) {
  return {{ProductRole::kFree, 0, free, 1}, {ProductRole::kContracted, 1, contracted, 1}};
}

TEST(DimPartsTest, AreCutAtTheBoundsOfDimensions) {
  const auto by_dim = PartsByDim(FreeAndContracted(256, 64), {4, 64, 64});
  ASSERT_TRUE(by_dim.has_value());
  EXPECT_EQ((*by_dim)[0][0].size, 4);
  EXPECT_EQ((*by_dim)[0][0].minor, 64);
  EXPECT_EQ((*by_dim)[1][0].minor, 1);
  EXPECT_FALSE(PartsByDim(FreeAndContracted(8, 72), {3, 192}).has_value());
}

// f32[256,64] is a bitcast of a transpose f32[4,64,2,32].
TEST(DimPartsTest, WhatIsContractedLiesTogetherOrNot) {
  const auto lies = [](std::vector<int64_t> permutation, bool all) {
    const auto parts =
        PartsBeforeTranspose(FreeAndContracted(256, 64), {4, 64, 2, 32}, permutation);
    return LieTogether(*parts, all);
  };
  EXPECT_TRUE(lies({0, 3, 1, 2}, false));
  EXPECT_FALSE(lies({0, 3, 1, 2}, true));
  EXPECT_FALSE(lies({0, 2, 1, 3}, false));
}

TEST(DimPartsTest, ABroadcastReadsSomeOfThem) {
  const auto parts = PartsBeforeBroadcast(FreeAndContracted(256, 64), {256, 64}, {1});
  ASSERT_TRUE(parts.has_value());
  ASSERT_EQ(parts->size(), 1u);
  EXPECT_EQ((*parts)[0].role, ProductRole::kContracted);
}

}  // namespace
}  // namespace tessera::target
