#include "tessera/sharding/partition/device_text.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace tessera::sharding::partition {
namespace {

TEST(DeviceTextTest, GroupsAreAnIotaWhereTheyAreOne) {
  EXPECT_EQ(GroupsText({{0, 1, 2, 3}}), "[1,4]<=[4]");
  EXPECT_EQ(GroupsText({{0, 4}, {1, 5}, {2, 6}, {3, 7}}), "[4,2]<=[2,4]T(1,0)");
  EXPECT_EQ(GroupsText({{0}, {1}}), "[2,1]<=[2]");
}

TEST(DeviceTextTest, OtherGroupsAreListed) {
  EXPECT_EQ(GroupsText({{0, 2}, {1, 3}, {4, 7}, {5, 6}}), "{{0,2},{1,3},{4,7},{5,6}}");
  EXPECT_EQ(GroupsText({{1, 0}}), "{{1,0}}");
  EXPECT_EQ(GroupsText({{0, 1}, {2}}), "{{0,1},{2}}");
}

TEST(DeviceTextTest, PairsAreListed) { EXPECT_EQ(PairsText({{0, 1}, {1, 0}}), "{{0,1},{1,0}}"); }

TEST(DeviceTextTest, NumbersAreALiteral) {
  EXPECT_EQ(NumbersText({0, -12, INT32_MIN}), "{0, -12, -2147483648}");
  EXPECT_EQ(NumbersText({7, 10, 99, 100, 999}), "{7, 10, 99, 100, 999}");
  EXPECT_EQ(NumbersText({1000, 12005, 999999, 1000000}), "{1000, 12005, 999999, 1000000}");
  EXPECT_EQ(NumbersText({}), "{}");
  EXPECT_EQ(NumbersText({0, 0, 7, 7, 7, 0}), "{0, 0, 7, 7, 7, 0}");
  EXPECT_EQ(NumbersText({1234567, 1234567, 8, 8}), "{1234567, 1234567, 8, 8}");
  EXPECT_EQ(NumbersText({INT32_MIN, INT32_MIN}), "{-2147483648, -2147483648}");
}

TEST(DeviceTextTest, NumbersOfIndices) {
  EXPECT_EQ(NumbersText({0, 1, 0, -1, 2}, {7, -12, 1000000}, 5), "{7, -12, 7, 5, 1000000}");
  const std::vector<int32_t> indices(100, 1), values = {3, INT32_MIN};
  EXPECT_EQ(NumbersText(indices, values, 0), NumbersText(std::vector<int32_t>(100, INT32_MIN)));
}

}  // namespace
}  // namespace tessera::sharding::partition
