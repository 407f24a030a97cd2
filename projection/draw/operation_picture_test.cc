// Pages: what stands on them, and that they are the same each time.
#include "tessera/projection/draw/operation_picture.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
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

// A window that begins outside: what it finds there.
TEST(OperationPictureTest, CellsOutsideTheTensor) {
  Signature s = *SignatureFromText("x->x", {{4}}, {{4}});
  ProjectionSpec window;
  window.matrix = ZMatrix::Identity(1);
  window.offsets.Set(OffsetRole::kRelative, {-1});
  window.shape = {3};
  window.policy = OutOfBoundsPolicy::kPad;
  window.extent = ZPoint{4};
  const auto picture = [&] {
    s.operands[0].maps = {ProjectionAccess(*ZProjection::Create(window))};
    return SvgOfOperation(s, {"z", {"x"}, 4}, *PlanOfBlock(s, *ZRange::Parse("zr[0:2]")));
  };
  const std::string svg = picture();
  EXPECT_EQ(Count(svg, "class=\"pad\""), 1);
  EXPECT_THAT(svg, HasSubstr("<title>[-1] is outside: pad</title>"));
  window.policy = OutOfBoundsPolicy::kTorus;
  EXPECT_THAT(picture(), HasSubstr("r=\"6\"><title>[-1] lands here</title>"));
}

}  // namespace
}  // namespace tessera::projection
