#include "tessera/pipeline/verbs/layout/layout_fixes.h"

#include "gtest/gtest.h"
#include "tessera/layout/shape_text.h"

namespace tessera::pipeline {
namespace {

std::optional<answers::BetterLayout> Fix(const char* text) {
  return FixOf(*layout::ParseShape(text));
}

TEST(LayoutFixesTest, AnotherOrder) {
  const auto fix = Fix("f32[1024,8]{1,0:T(8,128)}");
  ASSERT_TRUE(fix.has_value());
  EXPECT_EQ(fix->shape(), "f32[1024,8]{0,1:T(8,128)}");
  EXPECT_EQ(fix->bytes(), 1024 * 8 * 4);
  EXPECT_EQ(fix->python(), "Layout(major_to_minor=(1, 0))");
}

// No order helps where all dimensions are small.
TEST(LayoutFixesTest, TwoDimensionsAsOne) {
  const auto fix = Fix("f32[4,16,32]{2,1,0:T(8,128)}");
  ASSERT_TRUE(fix.has_value());
  EXPECT_EQ(fix->shape(), "f32[4,512]{1,0:T(4,128)}");
  EXPECT_EQ(fix->bytes(), 4 * 512 * 4);
  EXPECT_EQ(fix->python(), "x.reshape(x.shape[0], x.shape[1] * x.shape[2])");
}

TEST(LayoutFixesTest, NothingHelps) {
  EXPECT_FALSE(Fix("f32[16,128]{1,0:T(8,128)}").has_value());
  EXPECT_FALSE(Fix("f32[1024,8]{1,0}").has_value());
  EXPECT_FALSE(Fix("f32[5]{0:T(128)}").has_value());
}

}  // namespace
}  // namespace tessera::pipeline
