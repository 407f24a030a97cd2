// Pages: what stands on them, and that they are the same each time.
#include "tessera/projection/draw/operation_picture.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/projection/draw/picture.h"
#include "tessera/projection/signature/einsum.h"

namespace tessera::projection {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// The card of a matrix product: row band, column band, block.
TEST(OperationPictureTest, OneBlockIsHighlightedEverywhere) {
  const Signature s = *SignatureFromText("ik,kj->ij", {{4, 3}, {3, 5}}, {{4, 5}});
  const std::string svg =
      SvgOfOperation(s, {"z", {"x", "y"}, 4}, *PlanOfBlock(s, *ZRange::Parse("zr[1:2, 0:2]")));
  EXPECT_THAT(svg, AllOf(HasSubstr("x ‖4, 3‖: read by the block"),
                         HasSubstr("<title>x [1:2, 0:3], 3 cells: read by the block</title>"),
                         HasSubstr("<title>y [0:3, 0:2], 6 cells: read by the block</title>"),
                         HasSubstr("index of z ‖4, 5‖"), HasSubstr("class=\"arrow\""),
                         HasSubstr("<title>z [1:2, 0:2], 2 cells: read by 0: 2 cells, 8 bytes")));
  EXPECT_THAT(svg, AllOf(HasSubstr("viewBox"), Not(HasSubstr("script")), Not(HasSubstr("href"))));
}

TEST(OperationPictureTest, FourPartsHaveFourColours) {
  const Signature s = *SignatureFromText("ik,kj->ij", {{4, 3}, {3, 4}}, {{4, 4}});
  const ShardPlan plan = *CutOperation(s, {{0, 2}, {1, 2}});
  const std::string svg = SvgOfOperation(s, {"z", {"x", "y"}, 4}, plan);
  // Index and result: 4 cells each for part 3; both halves of both operands are shared.
  EXPECT_EQ(Count(svg, "class=\"o3\""), 8);
  EXPECT_EQ(Count(svg, "class=\"shared s1\""), 6);
  EXPECT_THAT(svg, HasSubstr("read by 0, 1: 6 cells, 24 bytes"));
  EXPECT_EQ(svg, SvgOfOperation(s, {"z", {"x", "y"}, 4}, plan));
}

TEST(OperationPictureTest, StagesOfACutReduction) {
  Signature s = *SignatureFromText("ij->ij", {{4, 10}}, {{4, 10}});
  s.axes[1].kind = AxisKind::kReduction;
  s.results = {*ZProjection::Plain(*ZMatrix::Create({{1, 0}}, 2), {0}, {1})};
  s.result_shapes = {{4}};
  const SplitReduction split = *CutReduction(s, 1, 3);
  const ShardPlan plan = *CutOperation(split.map, {{1, 3}});
  const std::string svg = SvgOfOperation(split.map, {"sum", {"x"}, 4}, plan, &split);
  EXPECT_THAT(svg, AllOf(HasSubstr("partial ‖4, 3‖"), HasSubstr("sum ‖4‖: combined"),
                         HasSubstr("<title>combine: the initial value once</title>"),
                         HasSubstr("[0:4, 8:10], 8 cells: read by 2: 8 cells, 32 bytes")));
}

// A window that begins outside, and an axis that counts backwards.
TEST(OperationPictureTest, BlockThroughOneProjection) {
  ProjectionSpec window;
  window.matrix = ZMatrix::Identity(1);
  window.offsets.Set(OffsetRole::kRelative, {-1});
  window.shape = {3};
  window.policy = OutOfBoundsPolicy::kPad;
  window.extent = ZPoint{4};
  const ZRange index = *ZRange::Parse("zr[0:4]");
  const std::string svg =
      SvgOfBlock("x", *ZProjection::Create(window), index, *ZRange::Parse("zr[0:2]"));
  EXPECT_EQ(Count(svg, "class=\"pad\""), 1);
  EXPECT_THAT(svg, AllOf(HasSubstr("<title>[-1] is outside: pad</title>"),
                         HasSubstr("<text x=\"12\" y=\"76\">[1 | -1 | 3]</text>")));
  window.policy = OutOfBoundsPolicy::kTorus;
  EXPECT_THAT(SvgOfBlock("x", *ZProjection::Create(window), index, *ZRange::Parse("zr[0:2]")),
              HasSubstr("cx=\"365\" cy=\"41\" r=\"6\"><title>[-1] lands here</title>"));
  const ZProjection back = *ZProjection::Plain(ZMatrix::Diagonal({-1}), {3}, {1});
  EXPECT_THAT(SvgOfBlock("x", back, index, *ZRange::Parse("zr[0:1]")),
              HasSubstr("← axis 0 counts backwards in dimension 0"));
}

// A window of 3 that knows its middle, two cells apart from one index to the next.
TEST(OperationPictureTest, MarksAreDrawn) {
  ProjectionSpec window;
  window.matrix = ZMatrix::Diagonal({2});
  window.offsets.Set(OffsetRole::kRelative, {-1});
  window.shape = {3};
  window.marks = {{"center", {0}}};
  const ZProjection p = *ZProjection::Create(window);
  EXPECT_THAT(MarkTexts(p, {3}), ::testing::ElementsAre("center at [6]"));
  EXPECT_THAT(SvgOfBlock("x", p, *ZRange::Parse("zr[0:4]"), *ZRange::Parse("zr[3:4]")),
              HasSubstr("* center at [6] for the first index"));
}

}  // namespace
}  // namespace tessera::projection
