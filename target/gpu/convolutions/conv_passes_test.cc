// Each is what XLA's GPU compiler made of a convolution of nets of our own (jax-cuda12-plugin 0.12.0.1).

#include "tessera/target/gpu/convolutions/conv_passes.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Convolution(const std::string& result, const std::string& left,
                        const std::string& right, const std::string& rest) {
  return "ENTRY e {\n  x = " + left + " parameter(0)\n  w = " + right +
         " parameter(1)\n  ROOT y = " + result + " convolution(x, w), " + rest + "\n}\n";
}

TEST(LegalizePaddingTest, ForwardPadsBefore) {
  EXPECT_THAT(
      After(LegalizePadding, Convolution("f32[8,16,16,64]", "f32[8,32,32,32]", "f32[3,3,32,64]",
                                         "window={size=3x3 stride=2x2 pad=0_1x0_1}, "
                                         "dim_labels=b01f_01io->b01f")),
      AllOf(HasSubstr("f32[8,33,33,32]{3,2,1,0} pad("), HasSubstr("padding=0_0x0_1x0_1x0_0"),
            HasSubstr("convolution(pad, w), window={size=3x3 stride=2x2}")));
}

// One dimension is not even: all are padded before.
TEST(LegalizePaddingTest, AllDimensionsBefore) {
  EXPECT_THAT(
      After(LegalizePadding, Convolution("f32[8,32,16,64]", "f32[8,32,32,32]", "f32[3,3,32,64]",
                                         "window={size=3x3 stride=1x2 pad=1_1x0_1}, "
                                         "dim_labels=b01f_01io->b01f")),
      HasSubstr("padding=0_0x1_1x0_1x0_0"));
}

TEST(LegalizePaddingTest, EvenPaddingStays) {
  const std::string even = Convolution("f32[8,32,32,64]", "f32[8,32,32,32]", "f32[3,3,32,64]",
                                       "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f");
  EXPECT_THAT(After(LegalizePadding, even), Not(HasSubstr("pad(")));
}

TEST(LegalizePaddingTest, ABackwardFilterPadsBefore) {
  EXPECT_THAT(
      After(LegalizePadding, Convolution("f32[3,3,32,64]", "f32[8,32,32,32]", "f32[8,16,16,64]",
                                         "window={size=16x16 pad=0_1x0_1 rhs_dilate=2x2}, "
                                         "dim_labels=f01b_i01o->01bf")),
      AllOf(HasSubstr("f32[8,33,33,32]{3,2,1,0} pad("),
            HasSubstr("window={size=16x16 rhs_dilate=2x2}")));
}

// One dimension is not even: all are padded before, as in the forward pass.
TEST(LegalizePaddingTest, ABackwardFilterPadsAll) {
  EXPECT_THAT(
      After(LegalizePadding, Convolution("f32[3,7,32,64]", "f32[8,32,32,32]", "f32[8,32,16,64]",
                                         "window={size=32x16 pad=1_1x2_3 rhs_dilate=1x2}, "
                                         "dim_labels=f01b_i01o->01bf")),
      AllOf(HasSubstr("f32[8,34,37,32]{3,2,1,0} pad("), HasSubstr("padding=0_0x1_1x2_3x0_0"),
            HasSubstr("window={size=32x16 rhs_dilate=1x2}")));
}

TEST(LegalizePaddingTest, ABackwardInputIsLargerAndCut) {
  const std::string text =
      "ENTRY e {\n  x = f32[8,16,16,64] parameter(0)\n  w = f32[3,3,32,64] parameter(1)\n"
      "  ROOT y = f32[8,32,32,32] convolution(x, w), window={size=3x3 pad=2_1x2_1 lhs_dilate=2x2 "
      "rhs_reversal=1x1}, dim_labels=b01f_01oi->b01f, "
      "backend_config=\"__cudnn$convBackwardInput\"\n}\n";
  EXPECT_THAT(After(LegalizePadding, text),
              AllOf(HasSubstr("f32[8,33,33,32]{3,2,1,0} convolution("),
                    HasSubstr("pad=2_2x2_2 lhs_dilate=2x2"),
                    HasSubstr("slice={[0:8], [0:32], [0:32], [0:32]}")));
}

std::string Added(const std::string& addend) {
  return "ENTRY e {\n  x = bf16[4,32,32,64] parameter(0)\n  w = bf16[1,1,64,128] parameter(1)\n"
         "  b = bf16[128] parameter(2)\n  s = bf16[4,32,32,128] parameter(3)\n"
         "  y = bf16[4,32,32,128] convolution(x, w), window={size=1x1}, "
         "dim_labels=b01f_01io->b01f\n  a = bf16[4,32,32,128] " +
         addend + "\n";
}

TEST(FuseAdditionsTest, AnArrayAfterZeros) {
  EXPECT_THAT(
      After(FuseAdditions, Added("add(s, y)") + "  ROOT n = bf16[4,32,32,128] negate(a)\n}\n"),
      AllOf(HasSubstr("convolution(x, w, broadcast, s)"), Not(HasSubstr("add("))));
}

TEST(FuseAdditionsTest, ANumberForEachFeature) {
  EXPECT_THAT(After(FuseAdditions, Added("broadcast(b), dimensions={3}") +
                                       "  ROOT n = bf16[4,32,32,128] add(y, a)\n}\n"),
              HasSubstr("convolution(x, w, b)"));
}

TEST(FuseAdditionsTest, NotWhatIsReadElsewhere) {
  EXPECT_THAT(
      After(FuseAdditions, Added("add(y, s)") + "  ROOT n = bf16[4,32,32,128] add(a, y)\n}\n"),
      HasSubstr("add(y, s)"));
}

}  // namespace
}  // namespace tessera::target
