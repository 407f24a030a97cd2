#include "tessera/target/passes/convert_mover.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Moved(const std::string& lines) {
  return After(MoveConverts, "ENTRY e {\n" + lines + "}\n");
}

TEST(ConvertMoverTest, WideningGoesAfterAndNarrowingInFront) {
  EXPECT_THAT(Moved("  x = bf16[8,4] parameter(0)\n  w = f32[8,4] convert(x)\n"
                    "  r = f32[32] reshape(w)\n  ROOT n = f32[32] negate(r)\n"),
              AllOf(HasSubstr("bf16[32]{0} reshape(x)"), HasSubstr("f32[32]{0} convert(")));
  EXPECT_THAT(Moved("  x = f32[8,4] parameter(0)\n  t = f32[4,8] transpose(x), dimensions={1,0}\n"
                    "  s = f32[2,8] slice(t), slice={[0:2], [0:8]}\n"
                    "  ROOT n = bf16[2,8] convert(s)\n"),
              AllOf(HasSubstr("bf16[8,4]{1,0} convert(x)"), HasSubstr("bf16[4,8]{1,0} transpose("),
                    HasSubstr("bf16[2,8]{1,0} slice(")));
}

TEST(ConvertMoverTest, NotPastWhatIsReadTwice) {
  EXPECT_THAT(Moved("  x = bf16[8,4] parameter(0)\n  w = f32[8,4] convert(x)\n"
                    "  r = f32[32] reshape(w)\n  n = f32[8,4] negate(w)\n"
                    "  ROOT t = (f32[32], f32[8,4]) tuple(r, n)\n"),
              HasSubstr("f32[32]{0} reshape(w)"));
  EXPECT_THAT(Moved("  x = f32[8,4] parameter(0)\n  r = f32[32] reshape(x)\n"
                    "  c = bf16[32] convert(r)\n  n = f32[32] negate(r)\n"
                    "  ROOT t = (bf16[32], f32[32]) tuple(c, n)\n"),
              HasSubstr("bf16[32]{0} convert(r)"));
}

std::string Padded(const std::string& type, const std::string& wide, const std::string& with) {
  return Moved("  x = " + type + "[8] parameter(0)\n  w = " + wide +
               "[8] convert(x)\n  v = " + wide + "[] constant(" + with + ")\n  p = " + wide +
               "[9] pad(w, v), padding=0_1\n  ROOT n = " + wide + "[9] negate(p)\n");
}

TEST(ConvertMoverTest, AConstantHasToKeepItsValue) {
  EXPECT_THAT(Padded("bf16", "f32", "-inf"),
              AllOf(HasSubstr("bf16[9]{0} pad("), HasSubstr("bf16[] convert(v)")));
  EXPECT_THAT(Padded("bf16", "f32", "1.5"), HasSubstr("bf16[9]{0} pad("));
  EXPECT_THAT(Padded("bf16", "f32", "1.001"), Not(HasSubstr("bf16[9]{0} pad(")));
  EXPECT_THAT(Padded("s8", "s32", "0"), HasSubstr("s8[9]{0} pad("));
  EXPECT_THAT(Padded("s8", "s32", "256"), Not(HasSubstr("s8[9]{0} pad(")));
}

TEST(ConvertMoverTest, EveryOperandIsWidenedFromOneType) {
  const auto joined = [](const std::string& b) {
    return Moved("  x = bf16[8] parameter(0)\n  y = " + b +
                 "[8] parameter(1)\n  v = f32[8] convert(x)\n"
                 "  w = f32[8] convert(y)\n  c = f32[16] concatenate(v, w), dimensions={0}\n"
                 "  ROOT n = f32[16] negate(c)\n");
  };
  EXPECT_THAT(joined("bf16"), HasSubstr("bf16[16]{0} concatenate(x, y)"));
  EXPECT_THAT(joined("f16"), HasSubstr("f32[16]{0} concatenate(v, w)"));
}

}  // namespace
}  // namespace tessera::target
