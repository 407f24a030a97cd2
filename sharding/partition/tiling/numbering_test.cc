#include "tessera/sharding/partition/tiling/numbering.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::sharding::partition {
namespace {

TEST(NumberingTest, EqualListsHaveOneNumber) {
  Numbering numbers;
  EXPECT_EQ(numbers.Of({3, 5}).number, 0u);
  EXPECT_TRUE(numbers.Of({5, 3}).is_new);
  EXPECT_TRUE(numbers.Of({}).is_new);
  EXPECT_TRUE(numbers.Of({3}).is_new);
  EXPECT_FALSE(numbers.Of({3, 5}).is_new);
  EXPECT_EQ(numbers.Of({}).number, 2u);
  EXPECT_EQ(numbers.size(), 4u);
}

TEST(NumberingTest, GrowsAndFindsAllAgain) {
  Numbering numbers;
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(numbers.Of(std::vector<uint64_t>(i % 7, i)).is_new, i == 0 || i % 7 != 0) << i;
  }
  const size_t size = numbers.size();
  for (uint64_t i = 1; i < 1000; ++i) {
    if (i % 7 != 0) {
      EXPECT_FALSE(numbers.Of(std::vector<uint64_t>(i % 7, i)).is_new) << i;
    }
  }
  EXPECT_EQ(numbers.size(), size);
}

}  // namespace
}  // namespace tessera::sharding::partition
