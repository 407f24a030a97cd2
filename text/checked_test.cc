#include "tessera/projection/core/checked.h"

#include <limits>

#include "gtest/gtest.h"

namespace tessera::projection {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

TEST(CheckedTest, ResultsAreNewNumbers) {
  const Checked seven = 7, three = 3;
  EXPECT_EQ((seven + three).value(), 10);
  EXPECT_EQ((seven - three).value(), 4);
  EXPECT_EQ((seven * three).value(), 21);
  EXPECT_EQ((-seven).value(), -7);
  EXPECT_EQ((three - seven).Abs().value(), 4);
  EXPECT_EQ(seven.value(), 7);
}

TEST(CheckedTest, OverflowStays) {
  for (const Checked& lost : {Checked(kMost) + 1, Checked(kLeast) - 1, Checked(kMost) * 2,
                              -Checked(kLeast), Checked(kLeast).Abs()}) {
    EXPECT_FALSE(lost.ok());
    EXPECT_EQ(lost.value(), 0);
    EXPECT_FALSE((lost - kMost + 5).ok());
  }
}

TEST(CheckedTest, QuotientsRoundToTheirSide) {
  struct Row {
    int64_t a, b, floor, ceil, mod;
  };
  for (const Row& r : {Row{7, 4, 1, 2, 3}, Row{-7, 4, -2, -1, 1}, Row{7, -4, -2, -1, -1},
                       Row{-7, -4, 1, 2, -3}, Row{8, 4, 2, 2, 0}, Row{-8, 4, -2, -2, 0}}) {
    EXPECT_EQ(FloorDiv(r.a, r.b), r.floor);
    EXPECT_EQ(CeilDiv(r.a, r.b), r.ceil);
    EXPECT_EQ(FloorMod(r.a, r.b), r.mod);
  }
}

}  // namespace
}  // namespace tessera::projection
