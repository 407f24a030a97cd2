#include "tessera/sharding/partition/device_text.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::sharding::partition {
namespace {

using ::testing::ElementsAre;

Mesh MeshOf(std::vector<MeshAxis> axes) { return *Mesh::Create(std::move(axes)); }

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

TEST(DeviceTextTest, GroupsRunAlongAxes) {
  const Mesh mesh = MeshOf({{"x", 2}, {"y", 4}});
  EXPECT_THAT(*AxesOfGroups({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, mesh), ElementsAre("x"));
  EXPECT_THAT(*AxesOfGroups({{0, 1, 2, 3, 4, 5, 6, 7}}, mesh), ElementsAre("x", "y"));
  EXPECT_THAT(*AxesOfGroups({{0, 4, 1, 5, 2, 6, 3, 7}}, mesh), ElementsAre("y", "x"));
}

TEST(DeviceTextTest, GroupsRunAlongAPartOfAnAxis) {
  const Mesh mesh = MeshOf({{"x", 2}, {"y", 4}});
  EXPECT_THAT(*AxesOfGroups({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, mesh), ElementsAre("y:(2)2"));
  EXPECT_THAT(*AxesOfGroups({{0, 2}, {1, 3}, {4, 6}, {5, 7}}, mesh), ElementsAre("y:(1)2"));
}

TEST(DeviceTextTest, SomeGroupsAreNoAxes) {
  const Mesh mesh = MeshOf({{"x", 2}, {"y", 4}});
  EXPECT_EQ(AxesOfGroups({{0, 5}, {1, 4}, {2, 7}, {3, 6}}, mesh), std::nullopt);
  EXPECT_EQ(AxesOfGroups({{0, 1}}, mesh), std::nullopt);
  EXPECT_EQ(AxesOfGroups({{0, 1}, {2, 3}, {4, 5}, {6, 8}}, mesh), std::nullopt);
}

TEST(DeviceTextTest, MeshesMayNumberTheirDevicesAnew) {
  const Mesh mesh = *Mesh::Create({{"x", 2}, {"y", 2}}, {0, 2, 1, 3});
  EXPECT_THAT(*AxesOfGroups({{0, 2}, {1, 3}}, mesh), ElementsAre("y"));
}

TEST(DeviceTextTest, PairsDifferInAxes) {
  const Mesh mesh = MeshOf({{"x", 2}, {"y", 4}});
  EXPECT_THAT(*AxesOfPairs({{0, 1}, {1, 0}, {4, 5}, {5, 4}}, mesh), ElementsAre("y:(2)2"));
  EXPECT_THAT(*AxesOfPairs({{0, 4}, {4, 0}}, mesh), ElementsAre("x"));
  EXPECT_EQ(AxesOfPairs({{0, 8}}, mesh), std::nullopt);
}

}  // namespace
}  // namespace tessera::sharding::partition
