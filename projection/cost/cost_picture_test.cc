#include "tessera/projection/cost/cost_picture.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::projection {
namespace {

using ::testing::HasSubstr;

TEST(CostPictureTest, TrafficMatrixMarksTheMost) {
  const std::vector<int64_t> volume = {0, 8, 4, 0};
  EXPECT_EQ(
      DrawTraffic(volume, 2),
      "from\\to         0         1\n      0        0         8!\n      1        4         0 \n");
  const std::string svg = SvgOfTraffic(volume, 2);
  EXPECT_THAT(svg, HasSubstr("class=\"most\""));
  EXPECT_THAT(svg, HasSubstr("<title>d1 to d0: 4 bytes</title>"));
  std::vector<int64_t> large(20 * 20, 0);
  large[3 * 20 + 7] = 5;
  EXPECT_EQ(DrawTraffic(large, 20), "d3 -> d7  5 bytes\n1 pairs exchange data\n");
}

// Four devices in a row: what device 0 sends to device 2 crosses two links.
TEST(CostPictureTest, LinksOfRoutedMessages) {
  const RoutedTraffic traffic = *RouteMessages({{4}, {false}}, {{0, 2, 10}, {1, 2, 5}});
  EXPECT_THAT(traffic.links, ::testing::ElementsAre(LinkBytes{0, 1, 10}, LinkBytes{1, 2, 15}));
  EXPECT_EQ(DrawLinks(traffic), "d1 -> d2  15 bytes !\nd0 -> d1  10 bytes\n");
}

TEST(CostPictureTest, ProfileMarksThePeak) {
  Program program;
  program.parameters = {{"p", 100}};
  program.order = {{"a", 100, {0}, BufferKind::kNew, 0}, {"b", 50, {1}, BufferKind::kNew, 0}};
  program.outputs = {2};
  const MemoryProfile profile = *ProfileOf(program, {});
  const std::vector<std::string> names = {"a", "b"};
  const std::string text = DrawProfile(profile, names);
  EXPECT_THAT(text, HasSubstr("250 ##################################################! b\n"));
  EXPECT_THAT(text, HasSubstr("200 ######################################## a\n"));
  EXPECT_THAT(SvgOfProfile(profile, names), HasSubstr("<title>b: p, 100 bytes</title>"));
}

}  // namespace
}  // namespace tessera::projection
