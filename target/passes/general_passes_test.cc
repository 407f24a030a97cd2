// Texts before and after the general passes; those of collectives are recorded from the real compiler
// (gpu/recorded_passes_test.cc) and, for what they leave alone, in collective_passes_test.cc.

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/passes/after_pass.h"
#include "tessera/target/passes/passes.h"

namespace tessera::target {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DceTest, TakesOutWhatNobodyUses) {
  EXPECT_EQ(After(RemoveDeadCode, R"(
unused {
  a = f32[] parameter(0)
  ROOT n = f32[] negate(a)
}
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  n = f32[8] negate(x)
  s = f32[8] sine(n)
  r = token[] after-all()
  o = token[] outfeed(x, r), outfeed_shape=f32[8]{0}
  ROOT c = f32[8] cosine(x)
}
)"),
            R"(ENTRY e {
  y = f32[8]{0} parameter(1)
  x = f32[8]{0} parameter(0)
  r = token[] after-all()
  o = token[] outfeed(x, r), outfeed_shape=f32[8]{0}
  ROOT c = f32[8]{0} cosine(x)
}

)");
}

TEST(NoOpsTest, AReshapeOfAReshapeIsOne) {
  EXPECT_EQ(After(RemoveNoOps, R"(
ENTRY e {
  x = f32[4,6] parameter(0)
  a = f32[24] reshape(x)
  b = f32[2,12] reshape(a)
  c = f32[3,8] reshape(b)
  d = f32[4,6] reshape(a)
  ROOT r = (f32[3,8], f32[4,6]) tuple(c, d)
}
)"),
            R"(ENTRY e {
  x = f32[4,6]{1,0} parameter(0)
  c = f32[3,8]{1,0} reshape(x)
  ROOT r = (f32[3,8]{1,0}, f32[4,6]{1,0}) tuple(c, x)
}

)");
}

TEST(TupleSimplifierTest, TuplesThatAreTakenApartGo) {
  EXPECT_EQ(After(SimplifyTuples, R"(
ENTRY e {
  x = f32[8] parameter(0)
  t = (f32[8], f32[4]) parameter(1)
  a = f32[8] get-tuple-element(t), index=0
  b = f32[4] get-tuple-element(t), index=1
  again = (f32[8], f32[4]) tuple(a, b)
  c = f32[4] get-tuple-element(again), index=1
  both = (f32[8], f32[4]) tuple(x, c)
  d = f32[8] get-tuple-element(both), index=0
  ROOT r = (f32[8], (f32[8], f32[4]), (f32[8], f32[4])) tuple(d, again, both)
}
)"),
            R"(ENTRY e {
  x = f32[8]{0} parameter(0)
  t = (f32[8]{0}, f32[4]{0}) parameter(1)
  c = f32[4]{0} get-tuple-element(t), index=1
  both = (f32[8]{0}, f32[4]{0}) tuple(x, c)
  ROOT r = (f32[8]{0}, (f32[8]{0}, f32[4]{0}), (f32[8]{0}, f32[4]{0})) tuple(x, t, both)
}

)");
}

TEST(CseTest, OfTwoThatDoTheSameTheFirstStays) {
  EXPECT_EQ(After(EliminateCommonSubexpressions, R"(
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
also_sum {
  c = f32[] parameter(0)
  d = f32[] parameter(1)
  ROOT t = f32[] add(c, d)
}
ENTRY e {
  x = f32[8,4] parameter(0)
  y = f32[8,4] parameter(1)
  a = f32[8,4] add(x, y), metadata={op_name="one"}
  b = f32[8,4] add(y, x), metadata={op_name="two"}
  zero = f32[] constant(0)
  null = f32[] constant(0)
  r = f32[4] reduce(a, zero), dimensions={0}, to_apply=sum
  q = f32[4] reduce(b, null), dimensions={0}, to_apply=also_sum
  p = f32[8] reduce(b, null), dimensions={1}, to_apply=also_sum
  ROOT t = (f32[4], f32[4], f32[8]) tuple(r, q, p)
}
)"),
            R"(sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

also_sum {
  c = f32[] parameter(0)
  d = f32[] parameter(1)
  ROOT t = f32[] add(c, d)
}

ENTRY e {
  x = f32[8,4]{1,0} parameter(0)
  y = f32[8,4]{1,0} parameter(1)
  a = f32[8,4]{1,0} add(x, y)
  zero = f32[] constant(0)
  r = f32[4]{0} reduce(a, zero), dimensions={0}, to_apply=sum
  p = f32[8]{0} reduce(a, zero), dimensions={1}, to_apply=also_sum
  ROOT t = (f32[4]{0}, f32[4]{0}, f32[8]{0}) tuple(r, r, p)
}

)");
}

TEST(CseTest, CollectivesOfTwoChannelsAreTwo) {
  const std::string text = R"(
ENTRY e {
  x = f32[8] parameter(0)
  a = f32[16] all-gather(x), dimensions={0}, channel_id=1, replica_groups={{0,1},{2,3},{4,5},{6,7}}
  b = f32[16] all-gather(x), dimensions={0}, channel_id=2, replica_groups={{0,1},{2,3},{4,5},{6,7}}
  ROOT t = (f32[16], f32[16]) tuple(a, b)
}
)";
  EXPECT_THAT(After(EliminateCommonSubexpressions, text), HasSubstr("tuple(a, b)"));
}

TEST(CseTest, OfManyWithTheSameOperandsThoseOfOneAttributeAreOne) {
  const std::string text = R"(
ENTRY e {
  x = f32[8] parameter(0)
  a = f32[4] slice(x), slice={[0:4]}
  b = f32[4] slice(x), slice={[4:8]}
  c = f32[4] slice(x), slice={[4:8]}
  d = f32[4] slice(x), slice={[0:4]}
  ROOT t = (f32[4], f32[4], f32[4], f32[4]) tuple(a, b, c, d)
}
)";
  EXPECT_THAT(After(EliminateCommonSubexpressions, text), HasSubstr("tuple(a, b, b, a)"));
}

// The two iotas stay, and what reads them is one; an instruction that reads both reads the first.
TEST(CseTest, EqualIotasAreEqualOperands) {
  const std::string after = After(EliminateCommonSubexpressions, R"(
ENTRY e {
  i = s32[4] iota(), iota_dimension=0
  j = s32[4] iota(), iota_dimension=0
  k = s32[4] iota(), iota_dimension=0
  a = s32[4] negate(i)
  b = s32[4] negate(j)
  c = s32[4] not(j)
  d = s32[4] add(j, k)
  ROOT t = (s32[4], s32[4], s32[4], s32[4]) tuple(a, b, c, d)
}
)");
  EXPECT_THAT(after, HasSubstr("i = s32[4]{0} iota()"));
  EXPECT_THAT(after, HasSubstr("j = s32[4]{0} iota()"));
  EXPECT_THAT(after, Not(HasSubstr("k = s32[4]{0} iota()")));
  EXPECT_THAT(after, HasSubstr("not(j)"));
  EXPECT_THAT(after, HasSubstr("add(j, j)"));
  EXPECT_THAT(after, HasSubstr("tuple(a, a, c, d)"));
}

// Each text stands at a place of its own.
TEST(CseTest, LongListsOfDevicesAreCompared) {
  const std::string some = "{{0,1,2,3,4,5,6,7},{8,9,10,11,12,13,14,15},{16,17,18,19,20,21,22,23}}";
  const std::string others =
      "{{0,1,2,3,4,5,6,7},{8,9,10,11,12,13,14,15},{16,17,18,19,20,21,23,22}}";
  std::string text = "ENTRY e {\n  x = f32[8] parameter(0)\n";
  for (const auto& [name, groups] : {std::pair("a", some), {"b", others}, {"c", some}}) {
    text += absl::StrCat("  ", name,
                         " = f32[64] all-gather(x), dimensions={0}, replica_groups=", groups, "\n");
  }
  text += "  ROOT t = (f32[64], f32[64], f32[64]) tuple(a, b, c)\n}\n";
  EXPECT_THAT(After(EliminateCommonSubexpressions, text), HasSubstr("tuple(a, b, a)"));
}

// A loop of five elements: the counter, a sum that is read after the loop, one that only feeds itself,
// and two that feed each other.
std::string Carrying(const std::string& after) {
  return R"(
body {
  p = (s32[], f32[8], f32[4], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  a = f32[8] get-tuple-element(p), index=1
  b = f32[4] get-tuple-element(p), index=2
  c = f32[2] get-tuple-element(p), index=3
  d = f32[2] get-tuple-element(p), index=4
  a2 = f32[8] add(a, a)
  b2 = f32[4] add(b, b)
  c2 = f32[2] negate(d)
  d2 = f32[2] sine(c)
  ROOT t = (s32[], f32[8], f32[4], f32[2], f32[2]) tuple(next, a2, b2, c2, d2)
}
condition {
  p = (s32[], f32[8], f32[4], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  last = s32[] constant(5)
  ROOT c = pred[] compare(i, last), direction=LT
}
ENTRY e {
  zero = s32[] constant(0)
  x = f32[8] parameter(0)
  y = f32[4] parameter(1)
  z = f32[2] parameter(2)
  t = (s32[], f32[8], f32[4], f32[2], f32[2]) tuple(zero, x, y, z, z)
  w = (s32[], f32[8], f32[4], f32[2], f32[2]) while(t), condition=condition, body=body
)" + after +
         "}\n";
}

TEST(WhileLoopsTest, WhatNobodyReadsIsNotCarried) {
  EXPECT_EQ(
      After(SimplifyWhileLoops, Carrying("  ROOT r = f32[8] get-tuple-element(w), index=1\n")),
      R"(body {
  p = (s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  a = f32[8]{0} get-tuple-element(p), index=1
  a2 = f32[8]{0} add(a, a)
  ROOT t = (s32[], f32[8]{0}) tuple(next, a2)
}

condition {
  p = (s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  last = s32[] constant(5)
  ROOT c = pred[] compare(i, last), direction=LT
}

ENTRY e {
  y = f32[4]{0} parameter(1)
  z = f32[2]{0} parameter(2)
  zero = s32[] constant(0)
  x = f32[8]{0} parameter(0)
  tuple = (s32[], f32[8]{0}) tuple(zero, x)
  w = (s32[], f32[8]{0}) while(tuple), condition=condition, body=body
  ROOT r = f32[8]{0} get-tuple-element(w), index=1
}

)");
  // One of two that feed each other is read.
  const std::string both =
      After(SimplifyWhileLoops, Carrying("  ROOT r = f32[2] get-tuple-element(w), index=4\n"));
  EXPECT_THAT(both, HasSubstr("(s32[], f32[2]{0}, f32[2]{0}) while"));
  EXPECT_THAT(both, HasSubstr("get-tuple-element(w), index=2"));
}

TEST(WhileLoopsTest, ADeadInstructionNeedsNothing) {
  const std::string after =
      After(SimplifyWhileLoops, Carrying("  dead = f32[4] get-tuple-element(w), index=2\n"
                                         "  too = f32[4] negate(dead)\n"
                                         "  ROOT r = f32[8] get-tuple-element(w), index=1\n"));
  EXPECT_THAT(after, HasSubstr("(s32[], f32[8]{0}) while"));
  EXPECT_THAT(after, Not(HasSubstr("dead")));
}

TEST(WhileLoopsTest, WhatIsReadWholeStays) {
  EXPECT_THAT(After(SimplifyWhileLoops, Carrying("  ROOT r = (s32[], f32[8], f32[4], f32[2], "
                                                 "f32[2]) copy(w)\n")),
              HasSubstr("(s32[], f32[8]{0}, f32[4]{0}, f32[2]{0}, f32[2]{0}) while"));
}

TEST(CallInlinerTest, CallsOfCalls) {
  const std::string after = After(InlineCalls, R"(
g {
  a = f32[8] parameter(0)
  ROOT n = f32[8] negate(a)
}
f {
  a = f32[8] parameter(0)
  b = f32[8] call(a), to_apply=g
  ROOT c = f32[8] call(b), to_apply=g
}
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] call(x), to_apply=f
  ROOT z = f32[8] sine(y)
}
)");
  EXPECT_THAT(after, Not(HasSubstr("call")));
  EXPECT_THAT(after, Not(HasSubstr("g {")));
  EXPECT_THAT(after, HasSubstr("negate(n"));
}

TEST(NoOpsTest, WhatChangesNothingGoes) {
  const std::string after =
      After(RemoveNoOps,
            "ENTRY e {\n  x = f32[8] parameter(0)\n  c = f32[8] copy(x)\n  r = f32[8] reshape(c)\n"
            "  v = f32[8] convert(r)\n  s = f32[2,4] reshape(v)\n  n = bf16[8] convert(v)\n"
            "  t = (f32[2,4], bf16[8]) tuple(s, n)\n"
            "  ROOT z = (f32[2,4], bf16[8]) copy(t)\n}\n");
  EXPECT_THAT(after, HasSubstr("reshape(x)"));
  EXPECT_THAT(after, HasSubstr("convert(x)"));
  EXPECT_THAT(after, HasSubstr("tuple(s, n)"));
  EXPECT_THAT(after, Not(HasSubstr("copy(")));
}

TEST(NoOpsTest, AConvertAndItsReverseGo) {
  const auto there_and_back = [](const std::string& between) {
    return After(RemoveNoOps, "ENTRY e {\n  x = bf16[8] parameter(0)\n  a = " + between +
                                  "[8] convert(x)\n  b = bf16[8] convert(a)\n"
                                  "  ROOT n = bf16[8] negate(b)\n}\n");
  };
  EXPECT_THAT(there_and_back("f32"), HasSubstr("negate(x)"));
  EXPECT_THAT(there_and_back("s32"), HasSubstr("negate(b)"));
  EXPECT_THAT(there_and_back("f8e4m3fn"), HasSubstr("negate(b)"));
}

TEST(NoOpsTest, PrecisionThatTheTypeHasIsKept) {
  const auto reduced = [](const std::string& bits) {
    return After(RemoveNoOpReducePrecision,
                 "ENTRY e {\n  x = bf16[8] parameter(0)\n  a = bf16[8] reduce-precision(x), " +
                     bits + "\n  ROOT n = bf16[8] negate(a)\n}\n");
  };
  EXPECT_THAT(reduced("exponent_bits=8, mantissa_bits=7"), HasSubstr("negate(x)"));
  EXPECT_THAT(reduced("exponent_bits=5, mantissa_bits=2"), HasSubstr("negate(a)"));
}

}  // namespace
}  // namespace tessera::target
