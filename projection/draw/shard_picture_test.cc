#include "tessera/projection/draw/shard_picture.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/projection/signature/einsum.h"

namespace tessera::projection {
namespace {

using ::testing::HasSubstr;

TEST(ShardPictureTest, HalosOfAWindow) {
  const Signature s = *SignatureFromText("x+k:3->x", {{12}}, {{10}});
  const ShardPlan plan = *CutOperation(s, {{0, 2}});
  const std::vector<Fragment> fragments = *FragmentsOf(plan, 0);
  const std::string text = DrawShards("x", {12}, fragments, 4);
  EXPECT_THAT(text, HasSubstr("x ‖12‖\n  0 0 0 0 0 * * 1 1 1 1 1\n"));
  EXPECT_THAT(text, HasSubstr("read by 0, 1: 2 cells, 8 bytes"));
  const std::string svg = SvgOfShards("x", {12}, fragments, 4);
  EXPECT_THAT(svg, HasSubstr("class=\"shared s1\""));
  EXPECT_THAT(svg, HasSubstr("<title>[5:6]; read by 0, 1: 2 cells, 8 bytes</title>"));
  EXPECT_THAT(svg, ::testing::Not(HasSubstr("script")));
  EXPECT_EQ(svg, SvgOfShards("x", {12}, fragments, 4));
}

// The figures of the design document: a fixed view, a part of it, strides forward and backward, and
// a window that begins outside.
TEST(ShardPictureTest, PointToRegion) {
  const ZRange index = *ZRange::Parse("zr[0:4]");
  const ZProjection fixed = *ZProjection::Fixed(1, *ZRange::Parse("zr[1:3]"));
  EXPECT_THAT(DrawPoint("w", fixed, index, {2}),
              HasSubstr("index ‖4‖  1 cell of [2:3]\n  . . # .\n  :\n[0 | 1 | 2]\n  v\n"
                        "w ‖3‖  2 cells of [1:3]\n  . # #\n"));
  const ZProjection back = *ZProjection::Plain(ZMatrix::Diagonal({-1}), {3}, {1});
  EXPECT_THAT(DrawPoint("x", back, index, {0}),
              HasSubstr("<- axis 0 counts backwards in dimension 0"));
  ProjectionSpec window;
  window.matrix = ZMatrix::Identity(1);
  window.offsets.Set(OffsetRole::kRelative, {-1});
  window.shape = {3};
  window.policy = OutOfBoundsPolicy::kPad;
  window.extent = ZPoint{4};
  EXPECT_THAT(DrawPoint("x", *ZProjection::Create(window), index, {0}),
              HasSubstr("  # # . .\n  1 cells of [-1:2] are not in the tensor: pad\n"));
}

TEST(ShardPictureTest, SplitReduction) {
  Signature s = *SignatureFromText("ij->ij", {{4, 10}}, {{4, 10}});
  s.axes[1].kind = AxisKind::kReduction;
  s.result_shapes = {{4}};
  EXPECT_EQ(DrawSplit(*CutReduction(s, 1, 3)),
            "map      ‖4, 10‖  4 indices a part\n  :\npartial  ‖4, 3‖  one cell a part in the last "
            "dimension\n  :\ncombine  ‖4, 3‖ -> ‖4‖  init once\n");
}

}  // namespace
}  // namespace tessera::projection
