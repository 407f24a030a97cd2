#include "tessera/pipeline/lint/lint.h"

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::pipeline::lint {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kMiB = int64_t{1} << 20;

LintTensor Tensor(const char* name, int64_t bytes, int64_t shares) {
  LintTensor t;
  t.name = name;
  t.shape = "f32[1024]";
  t.spec = shares == 1 ? "P()" : "P('data')";
  t.bytes = bytes;
  t.whole = bytes * shares;
  t.shares = shares;
  t.devices = 8;
  return t;
}

std::vector<Finding> Check(const char* rule, const LintProgram& program, double budget) {
  return Lint(program, {{{rule, {budget, /*is_users=*/true}}}, {}});
}

std::vector<std::string> Names(const std::vector<Finding>& findings) {
  std::vector<std::string> names;
  for (const Finding& f : findings) names.push_back(f.name);
  return names;
}

TEST(Rules, TheManualHasEachWithItsFlag) {
  std::ostringstream page;
  page << std::ifstream("docs/ci.md").rdbuf();
  for (const Rule& rule : Rules()) {
    EXPECT_THAT(page.str(), HasSubstr(absl::StrCat("\n| `", rule.id, "` | ")));
    EXPECT_THAT(page.str(), HasSubstr(absl::StrCat(" | `--", rule.budget_flag, "=")));
  }
}

TEST(Rules, AReplicatedArrayIsOneThatNoAxisShards) {
  LintProgram program;
  LintTensor constant = Tensor("constant", 2 * kMiB, 1);
  constant.is_made = false;
  LintTensor one_device = Tensor("one_device", 2 * kMiB, 1);
  one_device.devices = 1;
  program.tensors = {Tensor("small", kMiB, 1),
                     Tensor("w", 2 * kMiB, 1),
                     Tensor("x", 2 * kMiB, 8),
                     Tensor("largest", 3 * kMiB, 1),
                     constant,
                     one_device};
  const auto found = Check("replicated-array", program, kMiB);
  EXPECT_THAT(Names(found), ElementsAre("largest", "w"));
  EXPECT_EQ(found[1].message, "w f32[1024] is replicated on 8 devices: 2 MiB on each");
  EXPECT_EQ(found[1].severity, Severity::kError);
}

TEST(Rules, AReplicatedConstraintIsChanged) {
  LintProgram program;
  program.tensors = {Tensor("x", 2 * kMiB, 1), Tensor("y", 3 * kMiB, 1)};
  program.tensors[0].op_name = "jit(f)/sharding_constraint";
  const auto found = Check("replicated-array", program, 0);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0].fix, HasSubstr("constrain it with with_sharding_constraint; "));
  EXPECT_THAT(found[1].fix, HasSubstr("give its with_sharding_constraint an axis; "));
}

// A weight and its cast, of one line.
TEST(Rules, ArraysOfOneShapeAndLineAreOneFinding) {
  LintProgram program;
  program.tensors = {Tensor("w", 2 * kMiB, 1), Tensor("cast", 2 * kMiB, 1)};
  for (LintTensor& t : program.tensors) t.location = "m.py:3";
  EXPECT_THAT(Names(Check("replicated-array", program, 0)), ElementsAre("w"));
}

TEST(Rules, AnUnevenShardIsLargerThanItsPart) {
  LintProgram program;
  LintTensor heads = Tensor("heads", 2 * kMiB, 4);
  heads.whole = 6 * kMiB;  // 6 rows over 4: 2 on the first three devices
  program.tensors = {heads, Tensor("even", 2 * kMiB, 4)};
  EXPECT_THAT(Names(Check("uneven-shard", program, kMiB / 4)), ElementsAre("heads"));
  EXPECT_THAT(Check("uneven-shard", program, kMiB), IsEmpty());
}

TEST(Rules, OfCollectives) {
  LintProgram program;
  program.collectives = {
      {"all-gather", "f32[8]", "data", "dot.1", "m.py:1", 4 * kMiB, 4, "while.2"},
      {"all-reduce", "f32[8]", "data", "dot.2", "m.py:2", 3 * kMiB, 4, "while.2"},
      {"all-gather", "f32[8]", "data", "dot.3", "m.py:3", 2 * kMiB, 1, ""}};
  EXPECT_THAT(Names(Check("loop-gather", program, kMiB)), ElementsAre("dot.1"));
  EXPECT_THAT(Names(Check("large-collective", program, 2 * kMiB)), ElementsAre("dot.1", "dot.2"));
  EXPECT_THAT(Check("sent-bytes", program, 9 * kMiB), IsEmpty());
  const auto sent = Check("sent-bytes", program, 8 * kMiB);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_THAT(sent[0].message, HasSubstr("3 collectives, each device sends 9 MiB"));
  EXPECT_EQ(sent[0].location, "m.py:1");
}

TEST(Rules, AnArrayWithoutADirectWay) {
  LintProgram program;
  program.rematerializations = {{"x", "f32[64]", "P('a', 'b')", "", "m.py:1", 2 * kMiB},
                                {"small", "f32[8]", "P('a')", "P()", "m.py:2", kMiB}};
  const auto found = Check("rematerialization", program, kMiB);
  ASSERT_THAT(Names(found), ElementsAre("x"));
  EXPECT_EQ(found[0].message,
            "x f32[64]: no direct way from P('a', 'b') to (no PartitionSpec), so each device first "
            "holds the array, 2 MiB (XLA: Involuntary full rematerialization)");
}

TEST(Rules, EqualFindingsOfALineAreOne) {
  LintProgram program;
  const LintCollective gather = {"all-gather", "f32[8]", "data", "a", "m.py:1", 4 * kMiB, 4, "w"};
  program.collectives = {gather, gather};
  program.collectives[1].consumer = "b";
  LintOptions options;
  options.budgets["loop-gather"].amount = kMiB;
  const auto found = Lint(program, options);
  ASSERT_THAT(Names(found), ElementsAre("a"));
  EXPECT_THAT(found[0].message, HasSubstr("sends 4 MiB; 1 more of this line alike"));
}

// A reshard has no better annotation where a constraint closes the dimension, so that other verbs are named, too.
TEST(Rules, TheFixOfAGatherNamesWhatOpensADimension) {
  LintProgram program;
  program.collectives = {
      {"all-gather", "f32[8]", "model,data", "dot.1", "m.py:1", 4 * kMiB, 4, "w"},
      {"all-gather", "f32[8]", "{{0,3},{1,2}}", "dot.2", "m.py:2", 3 * kMiB, 4, "w"}};
  const auto found = Check("large-collective", program, kMiB);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(
      found[0].fix,
      "`tessera explain FILE dot.1 --axis=model` says where the axis is and which edit opens "
      "a dimension to it; `tessera reshards FILE` tries new annotations, `tessera suggest FILE` "
      "searches them and constraints");
  EXPECT_EQ(found[1].fix.find("explain"), std::string::npos);
  EXPECT_THAT(Check("loop-gather", program, kMiB)[0].fix,
              HasSubstr("; `tessera explain FILE dot.1 "));
  program.collectives[0].asked = "w";
  EXPECT_THAT(Check("loop-gather", program, kMiB)[0].fix,
              HasSubstr("; `tessera explain FILE w --axis=model"));
}

TEST(Rules, PaddingIsAFactorOfTheData) {
  LintProgram program;
  program.buffers = {{"a", "bf16[8]", "", 4 * kMiB, 3 * kMiB, "bf16[8]{0}", kMiB},
                     {"b", "bf16[8]", "", 4 * kMiB, kMiB, "", 0},
                     {"small", "bf16[8]", "", 64, 60, "", 0}};
  const auto found = Check("padded-layout", program, 1.5);
  ASSERT_THAT(Names(found), ElementsAre("a"));
  EXPECT_EQ(found[0].message, "a bf16[8] takes 4 MiB, 4 times its data");
  EXPECT_EQ(found[0].fix, "in bf16[8]{0} it takes 1 MiB");
}

TEST(Rules, EachResultTakesTheMemoryOfOneArgument) {
  LintProgram program;
  LintTensor w = Tensor("w", 2 * kMiB, 8), m = w, given = w, other = Tensor("o", 2 * kMiB, 1);
  m.name = "m";
  w.argument = 0;
  m.argument = 1;
  given.argument = 2;
  given.is_aliased = true;
  other.argument = 3;
  LintTensor result = w;
  result.argument = -1;
  result.result = 0;
  program.tensors = {w, m, given, other, result};
  EXPECT_THAT(Names(Check("missed-donation", program, kMiB)), ElementsAre("w"));
  program.tensors.push_back(result);
  EXPECT_THAT(Names(Check("missed-donation", program, kMiB)), ElementsAre("w", "m"));
  for (LintTensor& t : program.tensors) t.is_aliased = t.is_aliased || t.result >= 0;
  EXPECT_THAT(Check("missed-donation", program, kMiB), IsEmpty());
}

TEST(Rules, ArraysOfOneArgumentAreOneFinding) {
  LintProgram program;
  for (const char* name : {"mom['w']", "mom['b'][0]", "w"}) {
    LintTensor argument = Tensor(name, 2 * kMiB, 1);
    argument.op_name = name;
    argument.argument = static_cast<int>(program.tensors.size());
    program.tensors.push_back(argument);
  }
  LintTensor result = Tensor("r", 2 * kMiB, 1);
  for (result.result = 0; result.result < 3; ++result.result) program.tensors.push_back(result);
  const auto found = Check("missed-donation", program, kMiB);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0].message, HasSubstr("2 arrays of the argument mom are not donated"));
  EXPECT_THAT(found[0].message, HasSubstr(": 4 MiB twice"));
  EXPECT_THAT(found[0].fix, HasSubstr("donate_argnames=\"mom\""));
  EXPECT_THAT(found[1].fix, HasSubstr("donate_argnames=\"w\""));
}

// The optimizer's v was left without shardings, which m has.
TEST(Rules, ReplicatedArraysOfOneArgumentAreOneFinding) {
  LintProgram program;
  for (const char* name : {"m['w']", "v['w']", "v['b']"}) {
    LintTensor argument = Tensor(name, 2 * kMiB, *name == 'm' ? 8 : 1);
    argument.op_name = name;
    argument.argument = static_cast<int>(program.tensors.size());
    program.tensors.push_back(argument);
  }
  const auto found = Check("replicated-array", program, kMiB);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message,
            "2 arrays of the argument v are replicated on 8 devices: 4 MiB on each, such as v['w'] "
            "f32[1024] P()");
  EXPECT_EQ(found[0].fix,
            "shard the argument as m, whose ['w'] is P('data'); `tessera explain FILE v['w']` says "
            "why it is replicated");
  LintOptions options;
  options.budgets = {{"replicated-array", {kMiB, true}}};
  options.ignored = {*ParseIgnored("replicated-array:'w'")};
  EXPECT_THAT(Lint(program, options)[0].message, HasSubstr("v['b'] f32[1024] P() is replicated"));
}

TEST(Rules, ADonatedArgumentThatNoResultTakes) {
  LintProgram program;
  LintTensor v = Tensor("v", 2 * kMiB, 1), result = Tensor("result{0}", kMiB / 4, 8);
  v.argument = 0;
  v.is_aliased = v.is_lost_donor = true;
  result.result = 0;
  program.tensors = {v, result};
  const auto found = Check("missed-donation", program, kMiB);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message,
            "v f32[1024] P() is donated, but no result takes its memory; result{0} of this shape "
            "is P('data'): 2 MiB on each device");
  EXPECT_EQ(found[0].fix,
            "give both the same sharding: shard the argument as P('data'), or set out_shardings to "
            "P()");
  program.tensors[1].is_aliased = true;
  EXPECT_THAT(Check("missed-donation", program, kMiB), IsEmpty());
}

// The caches of a decoder: on a device both shardings are of the same size.
TEST(Rules, ADonatedArgumentThatComesBackInAnotherSharding) {
  LintProgram program;
  LintTensor k = Tensor("k", 2 * kMiB, 8), result = Tensor("result{0}", 2 * kMiB, 8);
  k.argument = 0;
  k.is_aliased = result.is_aliased = true;
  result.result = 0;
  result.spec = "P('model')";
  program.tensors = {k, result};
  const auto found = Check("missed-donation", program, kMiB);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message,
            "k f32[1024] P('data') is donated, but comes back in another sharding; result{0} takes "
            "the memory as P('model'): 2 MiB on each device");
  EXPECT_EQ(found[0].fix,
            "give both the same sharding: shard the argument as P('model'), or set out_shardings "
            "to P('data')");
  EXPECT_THAT(Check("missed-donation", program, 4 * kMiB), IsEmpty());
  // What XLA has put into the memory is another array.
  LintTensor same = Tensor("result{1}", 2 * kMiB, 8);
  same.result = 1;
  program.tensors.push_back(same);
  EXPECT_THAT(Check("missed-donation", program, kMiB), IsEmpty());
}

TEST(Rules, MemoryIsOfAProgramThatThePartitionerTakes) {
  LintProgram program;
  program.memory = program.memory_low = program.memory_high = 3 * kMiB;
  program.memory_limit_of = "--memory-limit=2MiB";
  const auto found = Check("memory-limit", program, 2 * kMiB);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].is_uncertain);
  EXPECT_EQ(found[0].message,
            "the program needs 3 MiB of a device, by estimate; --memory-limit=2MiB has 2 MiB");
  EXPECT_THAT(Check("memory-limit", program, 3 * kMiB), IsEmpty());
  program.partitioned = absl::InternalError("refused");
  EXPECT_THAT(Check("memory-limit", program, 2 * kMiB), IsEmpty());
}

TEST(Lint, APeakThatIsTooCloseToSayIsAWarning) {
  LintProgram program;
  program.memory = 3 * kMiB;
  program.memory_low = 2 * kMiB;
  program.memory_high = 4 * kMiB;
  program.memory_limit_of = "--memory-limit=2MiB";
  LintOptions options;
  options.budgets = {{"memory-limit", {2 * kMiB, /*is_users=*/true}}};
  const auto found = Lint(program, options);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_THAT(found[0].message, HasSubstr("between 2 MiB and 4 MiB; --memory-limit=2MiB has 2 MiB: "
                                          "too close to say"));
  options.budgets["memory-limit"].amount = kMiB;
  EXPECT_EQ(Lint(program, options)[0].severity, Severity::kError);
}

TEST(Lint, ABudgetOfTheUserThatCannotBeJudgedIsAnError) {
  LintProgram program;
  LintOptions options;
  options.budgets = {{"sent-bytes", {0, true}}, {"replicated-array", {0, true}}};
  EXPECT_TRUE(CheckJudged(program, options).ok());
  program.partitioned = absl::InternalError("refused");
  EXPECT_EQ(CheckJudged(program, options).message(), "--max-sent cannot be judged: refused");
  options.budgets["sent-bytes"].is_users = false;
  EXPECT_TRUE(CheckJudged(program, options).ok());
}

TEST(Lint, ErrorsStandBeforeWarnings) {
  LintProgram program;
  program.tensors = {Tensor("w", 2 * kMiB, 1)};
  program.memory = program.memory_low = program.memory_high = kMiB;
  LintOptions options;
  options.budgets = {{"replicated-array", {0, false}}, {"memory-limit", {0, true}}};
  const auto found = Lint(program, options);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].rule, "memory-limit");
  EXPECT_EQ(found[1].severity, Severity::kWarning);
}

TEST(Lint, WhatIsIgnoredIsLeftOut) {
  LintProgram program;
  program.tensors = {Tensor("w", 2 * kMiB, 1), Tensor("embedding", 2 * kMiB, 1)};
  LintOptions options;
  options.budgets = {{"replicated-array", {0, true}}};
  options.ignored = {*ParseIgnored("replicated-array:^embed")};
  EXPECT_THAT(Names(Lint(program, options)), ElementsAre("w"));
  options.ignored = {*ParseIgnored("replicated-array")};
  EXPECT_THAT(Lint(program, options), IsEmpty());
}

TEST(Lint, AnUnknownRuleIsAMistake) {
  EXPECT_THAT(std::string(ParseIgnored("replicated").status().message()),
              HasSubstr("--ignore=replicated: no rule is named 'replicated'; there are "
                        "replicated-array, loop-gather"));
  EXPECT_THAT(std::string(ParseIgnored("loop-gather:(").status().message()),
              HasSubstr("'(' is not a valid regular expression"));
}

}  // namespace
}  // namespace tessera::pipeline::lint
