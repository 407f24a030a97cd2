#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kModule[] =
    "HloModule m\n"
    "ENTRY e {\n"
    "  x = f32[4,6] parameter(0)\n"
    "  n = f32[4,6] negate(x)\n"
    "  e1 = f32[4,6] bitcast(n)\n"
    "  ROOT f = f32[6,4] custom-call(e1), custom_call_target=\"flip\"\n"
    "}\n";

Outcome RunOn(const std::string& module, std::vector<std::string> words) {
  words.insert(words.begin(), {"rules", TestFile("m.hlo", module)});
  return RunTessera({RulesVerb()}, words);
}

TEST(RulesVerbTest, OneLineForEachInstruction) {
  const Outcome run = RunOn(kModule, {});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out,
            "n: ([i, j])->([i, j]) {i=4, j=6}\n"
            "e1: none (no sharding passes)\n"
            "f: none (no sharding passes: no rule is known for the custom call 'flip'; "
            "--rule=flip=.. gives one)\n");
}

TEST(RulesVerbTest, OfAnOlderReference) {
  const std::string module =
      "HloModule m\nENTRY e {\n  x = f32[4,6] parameter(0)\n  ROOT n = f32[4,6] erf(x)\n}\n";
  EXPECT_EQ(RunOn(module, {"n"}).out, "n: ([i, j])->([i, j]) {i=4, j=6}\n");
  EXPECT_EQ(RunOn(module, {"n", "--reference=0.11"}).out,
            "n: none (no sharding passes: jaxlib 0.11.2 has no rule for erf)\n");
}

TEST(RulesVerbTest, NamesAndUserRules) {
  const Outcome run = RunOn(kModule, {"f", "x", "--rule=flip=([i, j])->([j, i])"});
  EXPECT_EQ(run.out,
            "x: none (structure of the program, no op of propagation)\n"
            "f: ([i, j])->([j, i]) {i=4, j=6}, custom\n");
}

TEST(RulesVerbTest, ARuleOfNoCustomCallIsNoted) {
  const Outcome run = RunOn(kModule, {"f", "--rule=flop=([i, j])->([j, i])"});
  EXPECT_EQ(
      run.err,
      "note: --rule=flop=..: no custom call of this module has the target 'flop'; the nearest "
      "are flip\n");
  EXPECT_EQ(RunOn(kModule, {"f", "--rule=flip=([i, j])->([j, i])"}).err, "");
}

TEST(RulesVerbTest, Json) {
  const Outcome run = RunOn(kModule, {"n", "--json"});
  EXPECT_EQ(run.out,
            "{\"instructions\":[{\"name\":\"n\",\"computation\":\"e\",\"opcode\":\"negate\","
            "\"rule\":\"([i, j])->([i, j]) {i=4, j=6}\"}]}\n");
}

// Both ends of a shard_map become one manual computation, in which shardings stop at no call.
TEST(RulesVerbTest, EndsOfAShardMap) {
  constexpr char kEnds[] =
      "HloModule m\nENTRY e {\n  x = f32[8] parameter(0)\n"
      "  in = f32[2] custom-call(x), custom_call_target=\"xla.sdy.GlobalToLocalShape\"\n"
      "  n = f32[2] negate(in)\n"
      "  ROOT out = f32[8] custom-call(n), custom_call_target=\"xla.sdy.LocalToGlobalShape\"\n}\n";
  EXPECT_EQ(RunOn(kEnds, {}).out,
            "in: none (boundary of a shard_map, which becomes one manual computation)\n"
            "n: ([i])->([i]) {i=2}\n"
            "out: none (boundary of a shard_map, which becomes one manual computation)\n");
  const Outcome given = RunOn(kEnds, {"--rule=xla.sdy.GlobalToLocalShape=([i])->([i])"});
  EXPECT_EQ(given.exit, 2);
  EXPECT_THAT(given.err, HasSubstr("xla.sdy.GlobalToLocalShape takes no rule: boundary of a"));
  EXPECT_THAT(RunTessera({StatsVerb()}, {"stats", TestFile("m.hlo", kEnds)}).out,
              Not(HasSubstr("shardings stop here")));
}

TEST(RulesVerbTest, MistakesShowTheirPlace) {
  const struct {
    std::vector<std::string> words;
    const char* message;
  } kCases[] = {
      {{"--rule=flip"}, "expected TARGET=RULE"},
      {{"--rule=flip=([i, j])->([j,, i])"}, "result 0 has 2 dimensions, the rule gives it 3"},
      {{"--rule=flip=([i, j])->([j, i]"}, "expected ')' or ',' after a tensor"},
      {{"--rule=flip=([i])->([i])", "--rule=flip=([i])->([i])"}, "has a rule already"},
      {{"nobody"}, "no instruction 'nobody'"},
      {{"--module=2"}, "no --module=2"},
  };
  for (const auto& c : kCases) {
    const Outcome run = RunOn(kModule, c.words);
    EXPECT_EQ(run.exit, 2) << c.message;
    EXPECT_THAT(run.err + run.out, HasSubstr(c.message));
  }
}

TEST(RulesVerbTest, TheJsonHasNoTables) {
  const Outcome run = RunOn(kModule, {"--table", "--json"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_EQ(run.err, "expected --table or --json, not both\n");
}

TEST(RulesVerbTest, AttachedRuleThatDoesNotFit) {
  const Outcome run = RunOn(
      "HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n  ROOT n = f32[4] negate(x), "
      "frontend_attributes={xla.sdy.sharding_rule=\"#sdy.op_sharding_rule<([i])->([j]) {i=4}>\"}\n"
      "}\n",
      {});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr(".hlo:4:"));
  EXPECT_THAT(run.err, HasSubstr("names factor j, but the rule gives sizes for 1 factor only"));
}

}  // namespace
}  // namespace tessera::pipeline
