#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string ScanOf(const std::string& attributes, const std::string& root) {
  return After(RewriteAssociativeScans,
               absl::StrCat("step {\n  a = f32[8] parameter(0)\n  b = f32[8] parameter(1)\n"
                            "  s = f32[8] add(a, b)\n"
                            "  ROOT t = (f32[8], f32[8]) tuple(s, s)\n}\n"
                            "ENTRY e {\n  x = f32[8,100] parameter(0)\n  z = f32[] constant(0)\n"
                            "  i = f32[8] broadcast(z), dimensions={}\n"
                            "  c = (f32[8,100], f32[8]) scan(x, i), dimensions={1}, "
                            "num_carries=1, ",
                            attributes, "to_apply=step\n", root, "}\n"));
}

constexpr char kElements[] = "  ROOT r = f32[8,100] get-tuple-element(c), index=0\n";

TEST(AssociativeScanRewriterTest, IsAWindowOfAllUpToEachElement) {
  EXPECT_THAT(ScanOf("is_associative=true, ", kElements),
              AllOf(HasSubstr("f32[8,100]{1,0} reduce-window(x, z), window={size=1x100 "
                              "pad=0_0x99_0}, to_apply=scan_step"),
                    HasSubstr("f32[] add(b.1, a.1)"), Not(HasSubstr(" scan("))));
}

TEST(AssociativeScanRewriterTest, NotOthers) {
  EXPECT_THAT(ScanOf("", kElements), HasSubstr(" scan("));
  EXPECT_THAT(ScanOf("is_associative=true, is_reverse=true, ", kElements), HasSubstr(" scan("));
  EXPECT_THAT(ScanOf("is_associative=true, ", "  ROOT r = f32[8] get-tuple-element(c), index=1\n"),
              HasSubstr(" scan("));
}

std::string WindowOf(const std::string& shape, const std::string& window) {
  return After(RewriteReduceWindows,
               absl::StrCat("add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                            "  ROOT s = f32[] add(a, b)\n}\nENTRY e {\n  x = f32",
                            shape, " parameter(0)\n  z = f32[] constant(0)\n  ROOT r = f32", shape,
                            " reduce-window(x, z), window={", window, "}, to_apply=add\n}\n"));
}

TEST(ReduceWindowRewriterTest, RowsAndWhatIsInFrontOfThem) {
  EXPECT_THAT(
      WindowOf("[2,64]", "size=1x64 pad=0_0x63_0"),
      AllOf(HasSubstr("f32[2,4,16]{2,1,0} reduce-window(reshape, z), window={size=1x1x16 "
                      "pad=0_0x0_0x15_0}"),
            HasSubstr("slice={[0:2], [0:4], [15:16]}"),
            HasSubstr("f32[2,5]{1,0} reduce-window(reshape.1, z), window={size=1x4 pad=0_0x4_0}"),
            HasSubstr("slice={[0:2], [0:4]}"), HasSubstr("dimensions={0,1}"),
            HasSubstr("ROOT reshape.2 = f32[2,64]{1,0} reshape(prefix-sum)")));
}

TEST(ReduceWindowRewriterTest, FromTheEndTheFirstOfARowIsItsSum) {
  EXPECT_THAT(
      WindowOf("[2,300]", "size=1x300 pad=0_0x0_299"),
      AllOf(HasSubstr("f32[2,304]{1,0} pad(x, z), padding=0_0x0_4"),
            HasSubstr("slice={[0:2], [0:19], [0:1]}"), HasSubstr("window={size=1x2 pad=0_0x0_2}"),
            HasSubstr("slice={[0:2], [1:3]}"), HasSubstr("padding=0_0x0_1"),
            HasSubstr("ROOT slice.5 = f32[2,300]{1,0} slice(reshape.")));
}

TEST(ReduceWindowRewriterTest, ManyRowsAreInRowsAgain) {
  EXPECT_THAT(
      WindowOf("[1000]", "size=1000 pad=999_0"),
      AllOf(HasSubstr("f32[63,16]{1,0} reduce-window("), HasSubstr("f32[4,16]{1,0} reduce-window("),
            HasSubstr("padding=1_0"), HasSubstr("f32[5,1]{1,0} reduce-window(")));
}

TEST(ReduceWindowRewriterTest, TheDimensionBecomesTheLast) {
  EXPECT_THAT(WindowOf("[32,8,3]", "size=32x1x1 pad=31_0x0_0x0_0"),
              AllOf(HasSubstr("f32[3,8,32]{2,1,0} transpose(x), dimensions={2,1,0}"),
                    HasSubstr("ROOT transpose.1 = f32[32,8,3]{2,1,0} transpose(")));
}

TEST(ReduceWindowRewriterTest, ShortOnesAndOtherWindowsStay) {
  EXPECT_THAT(WindowOf("[2,16]", "size=1x16 pad=0_0x15_0"),
              HasSubstr("ROOT r = f32[2,16]{1,0} reduce-window(x, z)"));
  EXPECT_THAT(WindowOf("[2,64]", "size=1x3 pad=0_0x1_1"),
              HasSubstr("ROOT r = f32[2,64]{1,0} reduce-window(x, z)"));
}

}  // namespace
}  // namespace tessera::target
