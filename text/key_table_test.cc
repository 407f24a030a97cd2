#include "tessera/text/key_table.h"

#include <map>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::text {
namespace {

TEST(KeyTableTest, NumbersInOrderOfFirstAppearance) {
  KeyTable keys;
  EXPECT_EQ(keys.Number(7, {1, 2}), 0);
  EXPECT_EQ(keys.Number(7, {2, 1}), 1);
  EXPECT_EQ(keys.Number(7, {1, 2}), 0);
  EXPECT_EQ(keys.size(), 2);
}

TEST(KeyTableTest, HeadAndLengthBelongToTheKey) {
  KeyTable keys;
  EXPECT_EQ(keys.Number(0, {}), 0);
  EXPECT_EQ(keys.Number(1, {}), 1);
  EXPECT_EQ(keys.Number(0, {0}), 2);
  EXPECT_EQ(keys.Number(0, {0, 0}), 3);
  EXPECT_EQ(keys.Number(uint64_t{1} << 32, {}), 4);
  EXPECT_EQ(keys.Number(0, {}), 0);
}

// Against the obvious table, through several doublings.
TEST(KeyTableTest, AgreesWithAMap) {
  KeyTable keys;
  std::map<std::pair<uint64_t, std::vector<uint32_t>>, uint32_t> expected;
  for (int round = 0; round < 2; ++round) {
    for (uint32_t i = 0; i < 5000; ++i) {
      std::vector<uint32_t> words;
      for (uint32_t rest = i; rest > 0; rest /= 3) words.push_back(rest % 3);
      const uint32_t next = static_cast<uint32_t>(expected.size());
      const auto number = expected.try_emplace({i % 2, words}, next).first->second;
      ASSERT_EQ(keys.Number(i % 2, words), number) << i;
    }
  }
  EXPECT_EQ(keys.size(), 5000);
}

}  // namespace
}  // namespace tessera::text
