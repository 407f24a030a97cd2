#include "tessera/text/checked.h"

#include <limits>

#include "gtest/gtest.h"

namespace tessera {
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

TEST(CheckedTest, OneStepSaysWhetherItFits) {
  int64_t out = 0;
  EXPECT_TRUE(MultiplyFits(kMost / 3, 3, &out));
  EXPECT_EQ(out, kMost / 3 * 3);
  EXPECT_FALSE(MultiplyFits(kMost / 3 + 1, 3, &out));
  EXPECT_TRUE(AddFits(kMost, -1, &out));
  EXPECT_EQ(out, kMost - 1);
  EXPECT_FALSE(AddFits(kMost, 1, &out));
}

TEST(CheckedTest, DigitsAreReadToBothEnds) {
  const auto read = [](const char* digits, int sign) -> Checked {
    int64_t value = 0;
    for (; *digits != 0; ++digits) {
      if (!AppendDigit(sign * (*digits - '0'), &value)) return Checked(kMost) + 1;
    }
    return value;
  };
  EXPECT_EQ(read("9223372036854775807", 1).value(), kMost);
  EXPECT_EQ(read("9223372036854775808", -1).value(), kLeast);
  EXPECT_FALSE(read("9223372036854775808", 1).ok());
  EXPECT_FALSE(read("9223372036854775809", -1).ok());
}

TEST(CheckedTest, SaturationStopsAtTheEnd) {
  EXPECT_EQ(SaturatingProduct(6, 7), 42);
  EXPECT_EQ(SaturatingProduct(kMost / 2, 3), kMost);
  EXPECT_EQ(SaturatingProduct(kMost, 0), 0);
  EXPECT_EQ(SaturatingSum(kMost - 1, 1), kMost);
  EXPECT_EQ(SaturatingSum(kMost - 1, 2), kMost);
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
}  // namespace tessera
