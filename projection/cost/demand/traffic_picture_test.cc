#include "tessera/projection/cost/demand/traffic_picture.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::projection {
namespace {

using ::testing::HasSubstr;

TEST(TrafficPictureTest, TrafficMatrixMarksTheMost) {
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
TEST(TrafficPictureTest, LinksOfRoutedMessages) {
  const RoutedTraffic traffic = *RouteMessages({{4}, {false}}, {{0, 2, 10}, {1, 2, 5}});
  EXPECT_THAT(traffic.links, ::testing::ElementsAre(LinkBytes{0, 1, 10}, LinkBytes{1, 2, 15}));
  EXPECT_EQ(DrawLinks(traffic), "d1 -> d2  15 bytes !\nd0 -> d1  10 bytes\n");
}

// Devices 0 to 3 of a ring of four, two of them in a second plane: what goes round the ring is
// bent.
TEST(TrafficPictureTest, DevicesOnTheirTorus) {
  const Torus torus{{2, 1, 4}, {false, false, true}};
  const std::vector<Message> messages = {{0, 3, 10}, {0, 1, 4}, {1, 5, 6}};
  const std::string svg = *SvgOfTorus(torus, messages);
  EXPECT_THAT(svg, HasSubstr("torus 2 x 1 x 4, at most 10"));
  EXPECT_THAT(svg, HasSubstr("class=\"busiest\" stroke-width=\"5\""));
  EXPECT_THAT(svg, HasSubstr("<title>d0 to d3: 10 bytes</title>"));
  EXPECT_THAT(svg, HasSubstr("fill=\"#c0392b\">10</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>device 5 at [1, 0, 1]</title>"));
  EXPECT_EQ(svg, *SvgOfTorus(torus, messages));
}

TEST(TrafficPictureTest, ManyDevicesAreAMatrix) {
  const std::string svg = *SvgOfTorus({{8, 9}, {true, true}}, std::vector<Message>{{1, 2, 7}});
  EXPECT_THAT(svg, HasSubstr("bytes from device (rows) to device (columns)"));
  EXPECT_THAT(svg, HasSubstr("<title>d1 to d2: 7 bytes</title>"));
}

}  // namespace
}  // namespace tessera::projection
