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
