// Files with several modules, lowered modules and binary files, through the whole command line.

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/command_line/verbs.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kTwo[] =
    "HloModule one\n\nENTRY e {\n  ROOT a = f32[4] parameter(0)\n}\n\n"
    "HloModule two\n\nENTRY e {\n  b = f32[4] parameter(0)\n  ROOT n = f32[4] negate(b)\n}\n";

constexpr char kCall[] =
    "HloModule call\n\nf {\n  x = f32[4] parameter(0)\n  ROOT n = f32[4] negate(x)\n}\n\n"
    "ENTRY e {\n  p = f32[4] parameter(0)\n  c = f32[4] call(p), to_apply=f\n"
    "  ROOT r = f32[4] call(c), to_apply=f\n}\n";

std::string PathOf(const std::string& name) { return ::testing::TempDir() + "/" + name; }

Outcome RunOn(const std::string& text, std::vector<std::string> words) {
  words.insert(words.begin() + 1, TestFile("module_files_test.hlo", text));
  return RunTessera(AllVerbs(), words);
}

TEST(ModuleFilesTest, OfSeveralModulesTheFirstIsTakenAndSaid) {
  const Outcome first = RunOn(kTwo, {"stats"});
  EXPECT_THAT(first.out, HasSubstr("module          one"));
  EXPECT_THAT(first.err, HasSubstr(" has 2 modules; showing the first, one; --module=2 takes"));
  const Outcome second = RunOn(kTwo, {"stats", "--module=2"});
  EXPECT_THAT(second.out, HasSubstr("module          two"));
  EXPECT_THAT(second.err, IsEmpty());
  EXPECT_THAT(RunOn(kTwo, {"stats", "--module=3"}).err, HasSubstr(" has 2 modules, there is no"));
}

TEST(ModuleFilesTest, OtherFormsAreNamed) {
  EXPECT_THAT(RunOn("\xfd"
                    "7zXZ\n",
                    {"stats"})
                  .err,
              HasSubstr("this is compressed by xz; give"));
  EXPECT_THAT(RunOn("\x1f\x8b\n", {"shard"}).err, HasSubstr("this is compressed by gzip; give"));
  EXPECT_THAT(RunOn(std::string("\x1f\x8b\0\n", 4), {"stats"}).err,
              HasSubstr(":1:1: error: this is compressed by gzip; give"));
  EXPECT_THAT(RunOn("module @jit_f {\n}\n", {"shard"}).err,
              HasSubstr("error: this is MLIR; give HLO"));
  EXPECT_THAT(RunOn("sdy.mesh @mesh = <[\"x\"=2]>\n", {"shard"}).err,
              HasSubstr("error: this is MLIR; give HLO"));
}

// A module that XLA's parser reads and its verifier refuses is printed, but nothing is computed of
// it.
TEST(ModuleFilesTest, WhatDoesNotFitIsRefusedAtItsPlace) {
  constexpr char kIndex[] =
      "ENTRY e {\n  p = (f32[4]) parameter(0)\n  ROOT r = f32[4] get-tuple-element(p), "
      "index=3\n}\n";
  EXPECT_EQ(RunOn(kIndex, {"print"}).exit, 0);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"stats"}, {"shard"}, {"shardings"}, {"project", "r"}, {"rules"}}) {
    const Outcome outcome = RunOn(kIndex, words);
    EXPECT_NE(outcome.exit, 0) << words[0];
    EXPECT_THAT(outcome.err, HasSubstr(".hlo:3:3: error: get-tuple-element 'r': there is no "
                                       "element 3 in (f32[4]{0})"))
        << words[0];
  }
}

TEST(ModuleFilesTest, AZeroByteHasAPlace) {
  EXPECT_THAT(RunOn(std::string("ENTRY e {\n  p\0", 14), {"stats"}).err,
              HasSubstr(".hlo:2:4: error: a zero byte: neither HLO text nor binary HLO"));
}

TEST(ModuleFilesTest, BodiesInPlaceHaveALimit) {
  std::string text = "g0 { ROOT r = f32[2] parameter(0) }\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string call = " = f32[2] call(p), to_apply=g" + std::to_string(i - 1) + "\n";
    text += (i == 40 ? "ENTRY g" : "g") + std::to_string(i) + " {\n  p = f32[2] parameter(0)\n  a" +
            call + "  b" + call + "}\n";
  }
  // Each computation once, as it stands there; of copies for each caller there would be 2^40.
  const Outcome stats = RunOn(text, {"stats"});
  EXPECT_EQ(stats.exit, 0) << stats.err;
  EXPECT_THAT(stats.out, HasSubstr("instructions    121\n"));
  const Outcome project = RunOn(text, {"project", "a"});
  EXPECT_EQ(project.exit, 0) << project.err;
  EXPECT_THAT(project.out, HasSubstr("  p f32[2]: [0:2], 8 bytes\n"));
  const Outcome shard = RunOn(text, {"shard"});
  EXPECT_EQ(shard.exit, 2) << shard.out;
  EXPECT_THAT(shard.err, HasSubstr(".hlo:110:3: error: %b: with a copy of each computation"));
  EXPECT_THAT(shard.err, HasSubstr("the module has more than 10000000 instructions"));
  EXPECT_THAT(shard.err, Not(HasSubstr("--stage=pass")));  // the pass unfolds calls, too
  const Outcome cost = RunOn(text, {"collectives", "--target=h100:1"});
  EXPECT_THAT(cost.err, HasSubstr(".hlo:110:3: error: %b: with a copy of each computation"));
}

TEST(ModuleFilesTest, PrintGivesAllOfThem) {
  for (const char* const format : {"keep", "xla", "short", "canonical"}) {
    const Outcome all = RunOn(kTwo, {"print", std::string("--format=") + format});
    EXPECT_THAT(all.out, HasSubstr("HloModule one")) << format;
    EXPECT_THAT(all.out, HasSubstr("HloModule two")) << format;
    EXPECT_THAT(all.err, IsEmpty());
  }
  EXPECT_THAT(RunOn(kTwo, {"print", "--format=pb"}).err, HasSubstr("holds one module"));
  EXPECT_EQ(RunOn(kTwo, {"print", "--format=pb", "--module=2"}).exit, 0);
}

// n.3 of `shardings` is the n of the second call.
TEST(ModuleFilesTest, NamesOfTheLoweredModule) {
  EXPECT_THAT(RunOn(kCall, {"shardings"}).out, HasSubstr("n.3: f32[4]"));
  const Outcome rules = RunOn(kCall, {"rules", "n.3"});
  EXPECT_EQ(rules.out, "n.3: ([i])->([i]) {i=4}\n");
  EXPECT_EQ(rules.err, "note: 'n.3' is found only after calls are inlined\n");
  const Outcome both = RunOn(kCall, {"rules", "n.3", "c"});
  EXPECT_THAT(both.out, ::testing::ContainsRegex("^c: none .*\nn.3: "));
  EXPECT_EQ(both.err, rules.err);
  EXPECT_EQ(RunOn(kCall, {"project", "n.3", "--block=0:2"}).exit, 0);
  EXPECT_THAT(RunOn(kCall, {"rules", "c"}).err, IsEmpty());
  EXPECT_THAT(RunOn(kCall, {"rules", "n.7"}).err, HasSubstr("no instruction 'n.7'"));
}

// b.2 is a pattern that fits the b.21 of FILE, and a name where calls are inlined.
TEST(ModuleFilesTest, ANameOfTheInlinedModuleGoesBeforeAPattern) {
  constexpr char kPattern[] =
      "HloModule m\n\nf {\n  a = f32[4] parameter(0)\n  ROOT b = f32[4] negate(a)\n}\n\n"
      "ENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[4] parameter(1)\n"
      "  b.21 = f32[2] exponential(x)\n  c = f32[4] call(y), to_apply=f\n"
      "  d = f32[4] call(c), to_apply=f\n  ROOT t = (f32[2], f32[4]) tuple(b.21, d)\n}\n";
  const Outcome name = RunOn(kPattern, {"rules", "b.2"});
  EXPECT_EQ(name.out, "b.2: ([i])->([i]) {i=4}\n");
  EXPECT_THAT(name.err, HasSubstr("only after calls are inlined"));
  EXPECT_EQ(RunOn(kPattern, {"project", "b.2", "--block=0:4"}).exit, 0);
  const Outcome part = RunOn(kPattern, {"rules", ".21", "b"});
  EXPECT_EQ(part.err, "note: no instruction is named '.21': it is read as a pattern\n");
  EXPECT_THAT(RunOn(kPattern, {"rules", "^b.21"}).err, IsEmpty());
}

// r of the entry, not of the reducer in front of it.
TEST(ModuleFilesTest, TheEntryGoesFirstAndPathsSayTheRest) {
  constexpr char kScopes[] =
      "HloModule m\n\nf {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT r = f32[] add(a, b)\n}\n\ng {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT r = f32[] maximum(a, b)\n}\n\nENTRY e {\n  x = f32[8,4] parameter(0)\n"
      "  z = f32[] constant(0)\n  s = f32[8] reduce(x, z), dimensions={1}, to_apply=f\n"
      "  t = f32[8] reduce(x, z), dimensions={1}, to_apply=g\n  ROOT r = f32[8] add(s, t)\n}\n";
  EXPECT_THAT(RunOn(kScopes, {"project", "r", "--block=0:4"}).out, HasSubstr("[0:4]"));
  EXPECT_EQ(RunOn(kScopes, {"project", "g/r"}).exit, 0);
  EXPECT_THAT(RunOn(kScopes, {"project", "a"}).err,
              HasSubstr("2 instructions fit 'a': expected f/a or g/a"));
  EXPECT_EQ(RunOn(kScopes, {"rules", "g/r"}).out, "r: ([], [])->([])\n");
}

TEST(ModuleFilesTest, WhatIsNoHloIsSaidToBeNone) {
  const std::string bytes(
      "\x7f"
      "ELF\0\1",
      6);
  EXPECT_THAT(RunOn(bytes, {"stats"}).err, HasSubstr("neither HLO text nor binary HLO"));
}

TEST(ModuleFilesTest, ShardWritesBinaryIntoAFileNamedSo) {
  const std::string binary = PathOf("module_files_test.pb");
  EXPECT_EQ(RunOn(kCall, {"shard", "--mesh=d=2", "--annotate=p=P('d')", "-o", binary}).exit, 0);
  std::ifstream file(binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(bytes, Not(StartsWith("HloModule")));
  const Outcome printed = RunTessera(AllVerbs(), {"print", binary});
  EXPECT_EQ(printed.exit, 0) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("sharding={mesh['d'=2], [{'d'}]}"));
}

TEST(ModuleFilesTest, PassFlagsAndBinaryFiles) {
  const std::string binary = PathOf("module_files_passes.pb");
  const Outcome timed = RunOn(kCall, {"shard", "--mesh=d=2", "-o", binary, "--pass-timing"});
  EXPECT_EQ(timed.exit, 0) << timed.err;
  EXPECT_THAT(timed.err, HasSubstr("  all passes\n"));
  const Outcome stopped =
      RunOn(kCall, {"shard", "--mesh=d=2", "-o", binary, "--stop-after=sdy-close-shardings"});
  EXPECT_EQ(stopped.exit, 2);
  EXPECT_THAT(stopped.err, HasSubstr("--stop-after gives the program as text"));
}

TEST(ModuleFilesTest, TheNotationOfAnInstructionIsNoJson) {
  for (const char* const flag : {"--json", "--draw", "--block=0:1"}) {
    const Outcome run = RunOn(kCall, {"project", "p", "--format=indexing-map", flag});
    EXPECT_EQ(run.exit, 2) << flag;
    EXPECT_THAT(run.err, HasSubstr("expected --format or --")) << flag;
  }
}

}  // namespace
}  // namespace tessera::pipeline
