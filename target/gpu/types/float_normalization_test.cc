// Whole programs of the real compiler: target/gpu/testdata/float-normalization-bf16 and simplify-fp-conversions.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Normalized(const std::string& lines, const std::string& target = "h100:8") {
  return After(NormalizeBf16, "ENTRY e {\n" + lines + "}\n", XlaFlags(), target);
}

TEST(FloatNormalizationTest, EachOperandAndTheResultAreConverted) {
  EXPECT_THAT(Normalized("  x = bf16[8] parameter(0)\n  y = bf16[8] parameter(1)\n"
                         "  ROOT d = bf16[8] divide(x, y)\n"),
              AllOf(HasSubstr("f32[8]{0} convert(x)"), HasSubstr("f32[8]{0} convert(y)"),
                    HasSubstr("f32[8]{0} divide("), HasSubstr("bf16[8]{0} convert(d)")));
}

TEST(FloatNormalizationTest, ConvertsOfUsersGo) {
  const std::string text = Normalized(
      "  x = f32[8] parameter(0)\n  c = bf16[8] convert(x)\n  t = bf16[8] tanh(c)\n"
      "  w = f32[8] convert(t)\n  ROOT n = f32[8] negate(w)\n");
  EXPECT_THAT(text, AllOf(HasSubstr("f32[8]{0} negate(t)"), Not(HasSubstr("convert(t)"))));
}

TEST(FloatNormalizationTest, TheChipDecides) {
  const std::string sum = "  x = bf16[8] parameter(0)\n  ROOT a = bf16[8] add(x, x)\n";
  EXPECT_THAT(Normalized(sum), HasSubstr("bf16[8]{0} add(x, x)"));
  EXPECT_THAT(Normalized(sum, "a100:8"), HasSubstr("f32[8]{0} add("));
  EXPECT_THAT(
      Normalized("  x = bf16[8] parameter(0)\n  ROOT a = bf16[8] exponential(x)\n", "a100:8"),
      HasSubstr("bf16[8]{0} exponential(x)"));
}

TEST(FloatNormalizationTest, NotWhatAProductComputes) {
  constexpr char kProduct[] =
      "  x = bf16[256,256] parameter(0)\n  y = bf16[256,256] parameter(1)\n"
      "  t = bf16[256,256] tanh(x)\n"
      "  ROOT d = bf16[256,256] dot(t, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  EXPECT_THAT(Normalized(kProduct), HasSubstr("bf16[256,256]{1,0} tanh(x)"));
}

TEST(FloatNormalizationTest, NotWhatReductionsCall) {
  constexpr char kReduction[] =
      "p {\n  a = bf16[] parameter(0)\n  b = bf16[] parameter(1)\n  ROOT p = bf16[] power(a, "
      "b)\n}\n"
      "ENTRY e {\n  x = bf16[8] parameter(0)\n  o = bf16[] constant(1)\n"
      "  ROOT r = bf16[] reduce(x, o), dimensions={0}, to_apply=p\n}\n";
  EXPECT_THAT(After(NormalizeBf16, kReduction), HasSubstr("bf16[] power(a, b)"));
}

std::string Simplified(const std::string& lines) {
  return After(SimplifyFpConversions, "ENTRY e {\n" + lines + "}\n");
}

TEST(SimplifyFpConversionsTest, AChainIsOneConvertOrNone) {
  EXPECT_THAT(Simplified("  x = f32[8] parameter(0)\n  a = bf16[8] convert(x)\n"
                         "  b = f32[8] convert(a)\n  ROOT n = f32[8] negate(b)\n"),
              AllOf(HasSubstr("negate(x)"), Not(HasSubstr("convert"))));
  EXPECT_THAT(Simplified("  x = s32[8] parameter(0)\n  a = f32[8] convert(x)\n"
                         "  b = bf16[8] convert(a)\n  ROOT n = bf16[8] negate(b)\n"),
              AllOf(HasSubstr("bf16[8]{0} convert(x)"), Not(HasSubstr("f32[8]"))));
  EXPECT_THAT(Simplified("  x = f32[8] parameter(0)\n  a = s32[8] convert(x)\n"
                         "  ROOT b = f32[8] convert(a)\n"),
              AllOf(HasSubstr("s32[8]{0} convert(x)"), HasSubstr("f32[8]{0} convert(a)")));
}

}  // namespace
}  // namespace tessera::target
