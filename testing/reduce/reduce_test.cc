#include "tessera/testing/reduce/reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/verifier.h"

namespace tessera::testing::reduce {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kTrain[] =
    R"(HloModule train, entry_computation_layout={(f32[8,4]{1,0}, f32[4,4]{1,0}, s32[])->(f32[8,4]{1,0}, s32[])}, num_partitions=2, frontend_attributes={a="1",b="2"}

%body (s: (s32[], f32[8,4], f32[4,4])) -> (s32[], f32[8,4], f32[4,4]) {
  %s = (s32[], f32[8,4]{1,0}, f32[4,4]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %x = f32[8,4]{1,0} get-tuple-element(%s), index=1
  %w = f32[4,4]{1,0} get-tuple-element(%s), index=2
  %d = f32[8,4]{1,0} dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %t = f32[8,4]{1,0} tanh(%d), metadata={op_name="t"}
  ROOT %r = (s32[], f32[8,4]{1,0}, f32[4,4]{1,0}) tuple(%next, %t, %w)
}

%cond (c: (s32[], f32[8,4], f32[4,4])) -> pred[] {
  %c = (s32[], f32[8,4]{1,0}, f32[4,4]{1,0}) parameter(0)
  %j = s32[] get-tuple-element(%c), index=0
  %n = s32[] constant(3)
  ROOT %lt = pred[] compare(%j, %n), direction=LT
}

ENTRY %main (p: f32[8,4], q: f32[4,4], k: s32[]) -> (f32[8,4], s32[]) {
  %p = f32[8,4]{1,0} parameter(0), sharding={devices=[2,1]<=[2]}, metadata={op_name="p"}
  %q = f32[4,4]{1,0} parameter(1)
  %k = s32[] parameter(2)
  %e = f32[8,4]{1,0} exponential(%p), frontend_attributes={u="1",v="2"}
  %init = (s32[], f32[8,4]{1,0}, f32[4,4]{1,0}) tuple(%k, %e, %q)
  %loop = (s32[], f32[8,4]{1,0}, f32[4,4]{1,0}) while(%init), condition=%cond, body=%body
  %y = f32[8,4]{1,0} get-tuple-element(%loop), index=1
  %z = s32[] get-tuple-element(%loop), index=0
  %neg = f32[8,4]{1,0} negate(%y)
  ROOT %out = (f32[8,4]{1,0}, s32[]) tuple(%neg, %z)
}
)";

struct Case {
  const char* needle;  // a module is interesting if it has this text
  int instructions;    // that are left
};

class ReduceTest : public ::testing::TestWithParam<Case> {};

TEST_P(ReduceTest, LeavesWhatMatters) {
  const std::string needle = GetParam().needle;
  const auto has_needle = [&](const std::string& text) { return absl::StrContains(text, needle); };
  const auto reduced = Reduce(kTrain, has_needle);
  ASSERT_TRUE(reduced.ok()) << reduced.status();
  EXPECT_THAT(reduced->text, HasSubstr(needle));
  EXPECT_EQ(reduced->instructions_before, 23);
  EXPECT_LE(reduced->instructions_after, GetParam().instructions) << reduced->text;
  const auto module = hlo::ParseModule(reduced->text);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(hlo::VerifyModule(*module).ok());
}

INSTANTIATE_TEST_SUITE_P(Needles, ReduceTest,
                         ::testing::Values(Case{"HloModule", 1}, Case{" exponential(", 2},
                                           Case{" negate(", 2}, Case{"sharding={devices", 2},
                                           Case{"a=\"1\"", 1}, Case{"v=\"2\"", 2},
                                           Case{"op_name=\"p\"", 2}, Case{" while(", 6},
                                           Case{" tanh(", 2}, Case{" dot(", 3}));

TEST(Reduce, TakesMarksOneByOne) {
  const auto reduced = Reduce(kTrain, [](const std::string& text) {
    return absl::StrContains(text, "v=\"2\"") && absl::StrContains(text, "b=\"2\"");
  });
  ASSERT_TRUE(reduced.ok());
  EXPECT_THAT(reduced->text, Not(HasSubstr("u=\"1\"")));
  EXPECT_THAT(reduced->text, Not(HasSubstr("a=\"1\"")));
}

// Nothing is gained by an input in place of a value that nobody reads.
TEST(Reduce, EndsWhereNobodyReadsAValue) {
  constexpr char kUnread[] = R"(HloModule m

ENTRY %main (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  %n = f32[8]{0} negate(%p)
  ROOT %e = f32[8]{0} exponential(%p)
}
)";
  const auto reduced = Reduce(kUnread, [](const std::string& text) {
    return absl::StrContains(text, " negate(") && absl::StrContains(text, " exponential(");
  });
  ASSERT_TRUE(reduced.ok());
  EXPECT_EQ(reduced->instructions_after, 3);
}

TEST(Reduce, DropsElementsOfALoop) {
  const auto reduced = Reduce(kTrain, [](const std::string& text) {
    return absl::StrContains(text, " while(") && absl::StrContains(text, " tanh(");
  });
  ASSERT_TRUE(reduced.ok());
  EXPECT_THAT(reduced->text, HasSubstr("(f32[8,4]{1,0}) while("));
}

TEST(Reduce, InlinesCalls) {
  constexpr char kCalls[] = R"(HloModule m

%f (a: f32[8], b: f32[8]) -> (f32[8], f32[8]) {
  %a = f32[8]{0} parameter(0)
  %b = f32[8]{0} parameter(1)
  %s = f32[8]{0} sine(%b)
  ROOT %t = (f32[8]{0}, f32[8]{0}) tuple(%a, %s)
}

ENTRY %main (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  %n = f32[8]{0} negate(%p)
  %c = (f32[8]{0}, f32[8]{0}) call(%p, %n), to_apply=%f
  ROOT %e = f32[8]{0} get-tuple-element(%c), index=1
}
)";
  const auto reduced = Reduce(kCalls, [](const std::string& text) {
    return absl::StrContains(text, " negate(") && absl::StrContains(text, " sine(");
  });
  ASSERT_TRUE(reduced.ok());
  EXPECT_EQ(reduced->instructions_after, 3) << reduced->text;
}

TEST(Reduce, RefusesWhatIsNotInteresting) {
  EXPECT_FALSE(Reduce(kTrain, [](const std::string&) { return false; }).ok());
  EXPECT_FALSE(Reduce("no module", [](const std::string&) { return true; }).ok());
}

}  // namespace
}  // namespace tessera::testing::reduce
