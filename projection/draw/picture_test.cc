#include "tessera/projection/draw/picture.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/projection/draw/svg.h"

namespace tessera::projection {
namespace {

using ::testing::HasSubstr;

TEST(PictureTest, GapsOfABlockAreShown) {
  const ZSet cells = ZSet::OfAxes({AxisSet::OfInterval(0, 1), AxisSet::OfComb({1, 2, 3, 1})});
  EXPECT_EQ(DrawRegion("x", {2, 8}, cells),
            "x ‖2, 8‖  3 cells of [0:1, 1:6], 60% of the box used\n"
            "  . # / # / # . .\n"
            "  . . . . . . . .\n");
}

TEST(PictureTest, LargeTensorsAreScaled) {
  const std::string text = DrawRegion("x", {100}, ZSet::OfBox(*ZRange::Parse("zr[0:3]")));
  EXPECT_THAT(text, HasSubstr("one mark stands for 1 x 4 cells"));
  EXPECT_THAT(text, HasSubstr("  + . . ."));
}

TEST(SvgTest, SelfContainedAndTitled) {
  SvgPicture picture;
  picture.Add({"a<b", {2, 3}, ZSet::OfBox(*ZRange::Parse("zr[0:1, 0:2]")), "read by the block"});
  const std::string svg = picture.ToString();
  EXPECT_THAT(svg, HasSubstr("viewBox="));
  EXPECT_THAT(svg, HasSubstr("<title>a&lt;b [0:1, 0:2], 2 cells: read by the block</title>"));
  EXPECT_THAT(svg, ::testing::Not(HasSubstr("script")));
  EXPECT_EQ(svg, picture.ToString());
}

}  // namespace
}  // namespace tessera::projection
