// The factors are those that the compiler of jax-cuda12-plugin 0.12.0.1 chose in whole steps; one of its modules is
// target/gpu/testdata/tree-reduction-rewriter.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Reduced(const std::string& from, const std::string& to, const std::string& dimensions) {
  return After(
      RewriteTreeReductions,
      "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n"
      "ENTRY e {\n  x = f32[" +
          from + "] parameter(0)\n  z = f32[] constant(0)\n  ROOT r = f32[" + to +
          "] reduce(x, z), dimensions={" + dimensions + "}, to_apply=add\n}\n");
}

TEST(TreeReductionRewriterTest, FactorsOfARow) {
  EXPECT_THAT(Reduced("96000", "", "0"),
              AllOf(HasSubstr("f32[375,256]{1,0} bitcast(x)"), HasSubstr("f32[375]{0} reduce(")));
  EXPECT_THAT(Reduced("8192000", "", "0"), HasSubstr("f32[2048,4000]{1,0} bitcast(x)"));
  EXPECT_THAT(Reduced("18912", "", "0"), HasSubstr("f32[96,197]{1,0} bitcast(x)"));
  EXPECT_THAT(Reduced("16384", "", "0"), Not(HasSubstr("bitcast")));
  EXPECT_THAT(Reduced("4,20011", "4", "1"), HasSubstr("pad(x, z)"));
}

TEST(TreeReductionRewriterTest, FactorsOfAColumn) {
  EXPECT_THAT(Reduced("6304,768", "768", "0"),
              AllOf(HasSubstr("f32[6305,768]{1,0} pad(x, z), padding=0_1x0_0"),
                    HasSubstr("f32[65,97,768]{2,1,0} bitcast(pad)"),
                    HasSubstr("f32[65,768]{1,0} reduce(")));
  EXPECT_THAT(Reduced("8000,1120", "1120", "0"), HasSubstr("f32[64,125,1120]{2,1,0} bitcast(x)"));
  EXPECT_THAT(Reduced("4096,64", "64", "0"), Not(HasSubstr("bitcast")));
}

TEST(TreeReductionRewriterTest, DimensionsSideBySideAreOne) {
  EXPECT_THAT(Reduced("32,197,768", "768", "0,1"),
              AllOf(HasSubstr("f32[6304,768]{1,0} bitcast(x)"), HasSubstr("f32[65,97,768]")));
}

TEST(TreeReductionRewriterTest, AMajorDimensionIsReducedLast) {
  EXPECT_THAT(Reduced("16,32,64", "32", "0,2"),
              AllOf(HasSubstr("f32[16,32]{1,0} reduce(x, z), dimensions={2}"),
                    HasSubstr("dimensions={0}")));
  EXPECT_THAT(Reduced("8,32,64", "32", "0,2"), HasSubstr("reduce(x, z), dimensions={0,2}"));
}

}  // namespace
}  // namespace tessera::target
