#include "tessera/target/gpu/layouts/order.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Optional;

TEST(OrderTest, DimensionsOfSizeOneLieNowhere) {
  EXPECT_TRUE(LiesAlike({0, 1, 2}, {1, 0, 2}, {4, 1, 8}));
  EXPECT_FALSE(LiesAlike({0, 1, 2}, {1, 0, 2}, {4, 2, 8}));
}

TEST(OrderTest, OneInFront) { EXPECT_THAT(WithMajor(2, 4), ElementsAre(2, 0, 1, 3)); }

TEST(OrderTest, KeptAndRenumbered) {
  EXPECT_THAT(Kept({2, 0, 1}, {0, 2}), ElementsAre(1, 0));
  EXPECT_THAT(Renumbered({1, 0}, {3, 5}), ElementsAre(5, 3));
}

TEST(ReshapedTest, GroupsThatStayTogetherMove) {
  EXPECT_THAT(Reshaped({1, 0}, {4, 6}, {4, 2, 3}), Optional(ElementsAre(1, 2, 0)));
  EXPECT_THAT(Reshaped({1, 2, 0}, {4, 2, 3}, {4, 6}), Optional(ElementsAre(1, 0)));
}

TEST(ReshapedTest, NoneWhereElementsMove) {
  EXPECT_THAT(Reshaped({1, 0}, {4, 6}, {24}), Eq(std::nullopt));
  EXPECT_THAT(Reshaped({2, 1, 0}, {4, 2, 3}, {4, 6}), Eq(std::nullopt));
}

TEST(ReshapedTest, OnesLieInFrontOfTheirNeighbour) {
  EXPECT_THAT(Reshaped({1, 0}, {4, 6}, {4, 1, 6}), Optional(ElementsAre(1, 2, 0)));
  EXPECT_THAT(Reshaped({1, 0}, {4, 6}, {4, 6, 1}), Optional(ElementsAre(1, 0, 2)));
}

TEST(DiffersByOnesTest, OnlyWhereSomeAreAddedOrGone) {
  EXPECT_TRUE(DiffersByOnes({4, 6}, {4, 1, 6}));
  EXPECT_FALSE(DiffersByOnes({4, 6}, {2, 2, 6}));
}

TEST(ReshapedTest, EmptyArraysAndScalars) {
  EXPECT_THAT(Reshaped({0, 1}, {0, 4}, {0}), Optional(ElementsAre(0)));
  EXPECT_THAT(Reshaped({1, 0}, {4, 0}, {0}), Eq(std::nullopt));
  EXPECT_THAT(Reshaped({1, 0}, {1, 1}, {}), Optional(ElementsAre()));
  EXPECT_THAT(Reshaped({}, {}, {1, 1}), Optional(ElementsAre(0, 1)));
}

}  // namespace
}  // namespace tessera::target
