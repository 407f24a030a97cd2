#include "tessera/sharding/partition/tiling/numbering.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tessera/sharding/partition/tiling/known_values.h"
#include "tessera/sharding/partition/tiling/tiling_numbers.h"

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

TEST(KnownValuesTest, EachIsMadeOnceAndStays) {
  KnownValues<int> known;
  int made = 0;
  const auto make = [&made] { return ++made; };
  const int& first = known.Of({7, 2}, make);
  for (uint64_t i = 0; i < 100; ++i) known.Of({i}, make);
  EXPECT_EQ(&known.Of({7, 2}, make), &first);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(made, 101);
}

// More tilings than are remembered by identity.
TEST(TilingNumbersTest, EqualTilingsHaveOneNumber) {
  TilingNumbers numbers;
  for (int64_t i = 1; i <= 600; ++i) numbers.Of(Tiling::Tiled(TileAssignment::Plain({i + 1, 2})));
  for (int64_t i = 1; i <= 600; ++i) {
    const Tiling again = Tiling::Tiled(TileAssignment::Plain({i + 1, 2}));
    const Tiling copy = again;
    EXPECT_EQ(numbers.Of(again), static_cast<uint64_t>(i - 1));
    EXPECT_EQ(numbers.Of(copy), numbers.Of(again));
  }
  EXPECT_NE(numbers.Of(Tiling::Replicated()), numbers.Of(Tiling::Manual()));
  EXPECT_NE(numbers.Of(Tiling::Single(1)), numbers.Of(Tiling::Single(257)));
  EXPECT_NE(numbers.Of(Tiling::Partial(TileAssignment::Plain({2, 4}))),
            numbers.Of(Tiling::Tiled(TileAssignment::Plain({2, 4}))));
}

}  // namespace
}  // namespace tessera::sharding::partition
