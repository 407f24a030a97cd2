#include "tessera/target/passes/constant_folding.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/passes/after_pass.h"
#include "tessera/target/passes/passes.h"

namespace tessera::target {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Folded(const std::string& wide, const std::string& narrow, const std::string& value) {
  return After(FoldConverts, "ENTRY e {\n  c = " + wide + "[] constant(" + value +
                                 ")\n  v = " + narrow + "[] convert(c)\n  ROOT n = " + narrow +
                                 "[] negate(v)\n}\n");
}

TEST(ConstantFoldingTest, AConstantThatKeepsItsValueTakesTheOtherType) {
  EXPECT_THAT(Folded("f32", "bf16", "1.5"), HasSubstr("bf16[] constant(1.5)"));
  EXPECT_THAT(Folded("f32", "bf16", "1.5"), Not(HasSubstr("convert(")));
  EXPECT_THAT(Folded("bf16", "f32", "-inf"), HasSubstr("f32[] constant(-inf)"));
  EXPECT_THAT(Folded("s32", "s8", "0"), HasSubstr("s8[] constant(0)"));
  EXPECT_THAT(Folded("pred", "bf16", "false"), HasSubstr("bf16[] constant(0)"));
  EXPECT_THAT(Folded("f32", "s32", "0.0"), HasSubstr("s32[] constant(0)"));
}

TEST(ConstantFoldingTest, OthersStay) {
  EXPECT_THAT(Folded("f32", "bf16", "1.001"), HasSubstr("bf16[] convert(c)"));
  EXPECT_THAT(Folded("s32", "s8", "256"), HasSubstr("s8[] convert(c)"));
}

// Devices exchange both sums of a padded gradient as long as the constant is still converted.
TEST(ConstantFoldingTest, OnlyAFoldedConstantIsLookedThrough) {
  const std::string sums = R"(add { a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] add(a, b) }
ENTRY e {
  x = bf16[8] parameter(0)
  y = bf16[8] parameter(1)
  p = bf16[8] all-reduce(x), replica_groups={{0,1,2,3,4,5,6,7}}, to_apply=add
  q = bf16[8] all-reduce(y), replica_groups={{0,1,2,3,4,5,6,7}}, to_apply=add
  c = f32[] constant(0)
  v = bf16[] convert(c)
  l = bf16[16] pad(p, v), padding=0_8
  r = bf16[16] pad(q, v), padding=8_0
  ROOT s = bf16[16] add(l, r)
})";
  EXPECT_THAT(After(ReassociateAllReduces, sums), HasSubstr("pad(p, v)"));
  const auto both = [](Context& context) {
    const absl::Status folded = FoldConverts(context);
    return folded.ok() ? ReassociateAllReduces(context) : folded;
  };
  EXPECT_THAT(After(both, sums), Not(HasSubstr("pad(p, ")));
}

}  // namespace
}  // namespace tessera::target
