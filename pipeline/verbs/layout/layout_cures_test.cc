#include "tessera/pipeline/verbs/layout/layout_cures.h"

#include "gtest/gtest.h"
#include "tessera/layout/shape_text.h"

namespace tessera::pipeline {
namespace {

std::optional<answers::BetterLayout> Cure(const char* text) {
  return CureOf(*layout::ParseShape(text));
}

TEST(LayoutCuresTest, AnotherOrder) {
  const auto cure = Cure("f32[1024,8]{1,0:T(8,128)}");
  ASSERT_TRUE(cure.has_value());
  EXPECT_EQ(cure->shape(), "f32[1024,8]{0,1:T(8,128)}");
  EXPECT_EQ(cure->bytes(), 1024 * 8 * 4);
  EXPECT_EQ(cure->python(), "Layout(major_to_minor=(1, 0))");
}

// No order helps where all dimensions are small.
TEST(LayoutCuresTest, TwoDimensionsAsOne) {
  const auto cure = Cure("f32[4,16,32]{2,1,0:T(8,128)}");
  ASSERT_TRUE(cure.has_value());
  EXPECT_EQ(cure->shape(), "f32[4,512]{1,0:T(4,128)}");
  EXPECT_EQ(cure->bytes(), 4 * 512 * 4);
  EXPECT_EQ(cure->python(), "x.reshape(x.shape[0], x.shape[1] * x.shape[2])");
}

TEST(LayoutCuresTest, NothingHelps) {
  EXPECT_FALSE(Cure("f32[16,128]{1,0:T(8,128)}").has_value());
  EXPECT_FALSE(Cure("f32[1024,8]{1,0}").has_value());
  EXPECT_FALSE(Cure("f32[5]{0:T(128)}").has_value());
}

}  // namespace
}  // namespace tessera::pipeline
