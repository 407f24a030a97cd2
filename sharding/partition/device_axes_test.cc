#include "tessera/sharding/partition/device_axes.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/axis_text.h"

namespace tessera::sharding::partition {
namespace {

using ::testing::ElementsAre;

Mesh MeshOf(std::vector<MeshAxis> axes) { return *Mesh::Create(std::move(axes)); }

std::vector<std::string> Texts(const std::optional<AxisList>& axes, const Mesh& mesh) {
  std::vector<std::string> texts;
  for (const AxisRef axis : axes.value()) texts.push_back(ShortAxisText(axis, mesh));
  return texts;
}

TEST(DeviceAxesTest, GroupsRunAlongAxes) {
  const Mesh mesh = MeshOf({{"x", 2}, {"y", 4}});
  EXPECT_THAT(Texts(AxesOfGroups({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, mesh), mesh), ElementsAre("x"));
  EXPECT_THAT(Texts(AxesOfGroups({{0, 1, 2, 3, 4, 5, 6, 7}}, mesh), mesh), ElementsAre("x", "y"));
  EXPECT_THAT(Texts(AxesOfGroups({{0, 4, 1, 5, 2, 6, 3, 7}}, mesh), mesh), ElementsAre("y", "x"));
}

TEST(DeviceAxesTest, GroupsRunAlongAPartOfAnAxis) {
  const Mesh mesh = MeshOf({{"x", 2}, {"y", 4}});
  EXPECT_THAT(Texts(AxesOfGroups({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, mesh), mesh),
              ElementsAre("y:(2)2"));
  EXPECT_THAT(Texts(AxesOfGroups({{0, 2}, {1, 3}, {4, 6}, {5, 7}}, mesh), mesh),
              ElementsAre("y:(1)2"));
}

TEST(DeviceAxesTest, SomeGroupsAreNoAxes) {
  const Mesh mesh = MeshOf({{"x", 2}, {"y", 4}});
  EXPECT_EQ(AxesOfGroups({{0, 5}, {1, 4}, {2, 7}, {3, 6}}, mesh), std::nullopt);
  EXPECT_EQ(AxesOfGroups({{0, 1}}, mesh), std::nullopt);
  EXPECT_EQ(AxesOfGroups({{0, 1}, {2, 3}, {4, 5}, {6, 8}}, mesh), std::nullopt);
}

TEST(DeviceAxesTest, MeshesMayNumberTheirDevicesAnew) {
  const Mesh mesh = *Mesh::Create({{"x", 2}, {"y", 2}}, {0, 2, 1, 3});
  EXPECT_THAT(Texts(AxesOfGroups({{0, 2}, {1, 3}}, mesh), mesh), ElementsAre("y"));
}

TEST(DeviceAxesTest, PairsDifferInAxes) {
  const Mesh mesh = MeshOf({{"x", 2}, {"y", 4}});
  EXPECT_THAT(Texts(AxesOfPairs({{0, 1}, {1, 0}, {4, 5}, {5, 4}}, mesh), mesh),
              ElementsAre("y:(2)2"));
  EXPECT_THAT(Texts(AxesOfPairs({{0, 4}, {4, 0}}, mesh), mesh), ElementsAre("x"));
  EXPECT_EQ(AxesOfPairs({{0, 8}}, mesh), std::nullopt);
}

}  // namespace
}  // namespace tessera::sharding::partition
