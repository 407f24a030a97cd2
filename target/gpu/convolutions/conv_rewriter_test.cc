// Each kind is the one that XLA's GPU compiler calls cuDNN for (jax-cuda12-plugin 0.12.0.1), in convolutional
// nets of our own.

#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/gpu/convolutions/conv_passes.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ConvolutionKind KindOf(const std::string& result, const std::string& input,
                       const std::string& filter, const std::string& rest) {
  absl::StatusOr<hlo::Module> module = hlo::ParseModule(
      "HloModule m\n\nENTRY e {\n  x = " + input + " parameter(0)\n  w = " + filter +
      " parameter(1)\n  ROOT y = " + result + " convolution(x, w), " + rest + "\n}\n");
  EXPECT_TRUE(module.ok()) << module.status();
  const DeviceProgram program(*std::move(module));
  return ConvolutionKindOf(program, program.module().entry().root);
}

TEST(ConvolutionKindTest, SmallWindowsAreForward) {
  EXPECT_EQ(KindOf("bf16[16,64,64,128]", "bf16[16,128,128,64]", "bf16[3,3,64,128]",
                   "window={size=3x3 stride=2x2 pad=0_1x0_1}, dim_labels=b01f_01io->b01f"),
            ConvolutionKind::kForward);
}

TEST(ConvolutionKindTest, WindowsLargerThanTheResultAreBackwardFilters) {
  EXPECT_EQ(KindOf("bf16[3,3,128,128]", "bf16[16,64,64,128]", "bf16[16,64,64,128]",
                   "window={size=64x64 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf"),
            ConvolutionKind::kBackwardFilter);
  EXPECT_EQ(KindOf("bf16[3,3,64,128]", "bf16[16,128,128,64]", "bf16[16,64,64,128]",
                   "window={size=64x64 pad=0_1x0_1 rhs_dilate=2x2}, dim_labels=f01b_i01o->01bf"),
            ConvolutionKind::kBackwardFilter);
}

TEST(ConvolutionKindTest, AChannelForItselfIsABackwardFilter) {
  EXPECT_EQ(KindOf("f32[15,1,128]", "f32[16,1000,128]", "f32[16,1000,128]",
                   "window={size=1000 pad=7_7}, dim_labels=f0b_i0o->0bf, batch_group_count=128"),
            ConvolutionKind::kBackwardFilter);
}

TEST(ConvolutionKindTest, OneElementIsABackwardInputOnlyWithHoles) {
  EXPECT_EQ(KindOf("bf16[16,128,128,64]", "bf16[16,128,128,3]", "bf16[1,1,64,3]",
                   "window={size=1x1}, dim_labels=b01f_01oi->b01f"),
            ConvolutionKind::kForward);
  EXPECT_EQ(KindOf("bf16[16,127,127,64]", "bf16[16,64,64,128]", "bf16[1,1,64,128]",
                   "window={size=1x1 lhs_dilate=2x2}, dim_labels=b01f_01oi->b01f"),
            ConvolutionKind::kBackwardInput);
}

constexpr char kReversed[] =
    "ENTRY e {\n"
    "  x = bf16[16,64,64,128] parameter(0)\n"
    "  w = bf16[3,3,64,128] parameter(1)\n"
    "  r = bf16[3,3,64,128] reverse(w), dimensions={0,1}\n"
    "  ROOT y = bf16[16,64,64,64] convolution(x, r), window={size=3x3 pad=1_1x1_1}, "
    "dim_labels=b01f_01oi->b01f\n"
    "}\n";

TEST(ConvRewriterTest, AReversedFilterIsAReversedWindow) {
  EXPECT_THAT(After(RewriteConvolutions, kReversed),
              AllOf(HasSubstr("convolution(x, w), window={size=3x3 pad=1_1x1_1 rhs_reversal=1x1}"),
                    Not(HasSubstr("reverse("))));
}

// As in the gradient of a gradient.
TEST(ConvRewriterTest, NotWithAStride) {
  const std::string text = absl::StrReplaceAll(
      kReversed,
      {{"pad=1_1x1_1", "stride=2x2 pad=1_1x1_1"}, {"bf16[16,64,64,64]", "bf16[16,32,32,64]"}});
  EXPECT_THAT(After(RewriteConvolutions, text), HasSubstr("convolution(x, r)"));
}

// The window of a forward convolution may be reversed, too.
TEST(ConvolutionKindTest, AReversedWindowIsForward) {
  EXPECT_EQ(KindOf("f32[4,4,3,32]", "f32[8,16,16,3]", "f32[8,8,8,32]",
                   "window={size=8x8 pad=1_1x1_1 rhs_dilate=2x2 rhs_reversal=1x1}, "
                   "dim_labels=f01b_i01o->01bf"),
            ConvolutionKind::kForward);
}

TEST(ConvRewriterTest, NotWhereChannelsAreGrouped) {
  EXPECT_THAT(After(RewriteConvolutions,
                    "ENTRY e {\n"
                    "  x = f32[16,1000,128] parameter(0)\n"
                    "  w = f32[15,128,1] parameter(1)\n"
                    "  r = f32[15,128,1] reverse(w), dimensions={0}\n"
                    "  ROOT y = f32[16,1000,128] convolution(x, r), window={size=15 pad=7_7}, "
                    "dim_labels=b0f_0oi->b0f, feature_group_count=128\n"
                    "}\n"),
              HasSubstr("convolution(x, r)"));
}

}  // namespace
}  // namespace tessera::target
