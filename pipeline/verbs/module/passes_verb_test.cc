// `tessera passes`, and the flags by which shard and shardings show their passes.

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "re2/re2.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kModule[] =
    "HloModule m, num_partitions=4\n"
    "ENTRY e {\n"
    "  x = f32[6] parameter(0), sharding={mesh['a'=4], [{'a'}]}\n"
    "  ROOT n = f32[6] negate(x)\n"
    "}\n";

std::string ModuleFile() { return TestFile("m.hlo", kModule); }

Outcome Tessera(const std::vector<std::string>& words) {
  return RunTessera({PassesVerb(), ShardVerb(), ShardingsVerb(), CollectivesVerb()}, words);
}

TEST(PassesVerbTest, ListsTheRunOfTheseFlags) {
  EXPECT_THAT(Tessera({"passes"}).out,
              AllOf(StartsWith(" 1  clean-up   - begin-clean-up "),
                    HasSubstr("= sdy-close-shardings  "), HasSubstr("- write-kept-text ")));
  EXPECT_THAT(Tessera({"passes", "--stage=pass", "--structure=xla", "--schedule=op"}).out,
              AllOf(StartsWith(" 1  import     - match-annotations "),
                    HasSubstr("= sdy-op-priority-propagate"), HasSubstr("- write-xla-module "),
                    Not(HasSubstr("call-inliner"))));
  EXPECT_THAT(Tessera({"passes", "--uneven-boundaries"}).out, Not(HasSubstr("non-divisible")));
  EXPECT_THAT(Tessera({"passes", "--explicit-collectives"}).out,
              HasSubstr("= sdy-reshard-to-collectives "));
  EXPECT_THAT(Tessera({"passes", "--reference=0.10.2"}).out,
              Not(HasSubstr("sdy-add-func-data-flow-edges")));
  EXPECT_THAT(Tessera({"passes", "--no-propagation"}).out,
              StartsWith(" 1  emit       - release-shard-map-bodies "));
}

TEST(PassesVerbTest, TargetsAreListedAfter) {
  EXPECT_THAT(Tessera({"passes", "--target=h100:8"}).out, HasSubstr("- write-xla-module "));
  EXPECT_THAT(Tessera({"passes", "--target=h100:8"}).out,
              ::testing::ContainsRegex("\n 8  clean-up += spmd-simplify .*\n 9  import "));
  // Numbers are those of dumps: of `shard`, and after the partitioner those of `collectives`.
  EXPECT_THAT(Tessera({"passes", "--target=h100:8"}).out,
              ::testing::ContainsRegex("\n    partition .*= spmd-partitioning .*\n\nafter the "
                                       "partitioner, .*:\n 1  "));
  EXPECT_THAT(Tessera({"passes", "--target=h100:8"}).out,
              ::testing::ContainsRegex("\n\nmodelled .*:\n    hlo_normalization .*\n.*\n"
                                       "    fusion +.*= priority-fusion "));
  const Outcome tpu = Tessera({"passes", "--target=tpu-v5e:4x4"});
  EXPECT_EQ(tpu.exit, 0) << tpu.err;
  EXPECT_THAT(tpu.out, HasSubstr("= tpu-all-reduce-scatter-fusion"));
  EXPECT_THAT(tpu.out, HasSubstr("~ cse-of-collectives"));
  EXPECT_THAT(tpu.out, HasSubstr("- all-gathers-of-dimensions"));
  // Those of `memory`, after those of the partitioner.
  EXPECT_THAT(tpu.out, ::testing::ContainsRegex("\n\n`memory` runs .*:\n 3  memory +"
                                                "= convert-mover "));
  EXPECT_THAT(tpu.out, HasSubstr("\n15  memory                    - table-copies "));
  EXPECT_THAT(Tessera({"passes", "--target=h100:8"}).out, Not(HasSubstr("  memory  ")));
  const Outcome other = Tessera({"passes", "--target=tpu-v4:2x2x4"});
  EXPECT_EQ(other.exit, 2);
  EXPECT_THAT(other.err, HasSubstr("is not modelled"));
  EXPECT_THAT(Tessera({"passes", ModuleFile(), "--target=h100:8"}).err,
              HasSubstr("are listed, not measured"));
}

TEST(PassesVerbTest, MeasuresAFile) {
  const std::string out = Tessera({"passes", ModuleFile()}).out;
  EXPECT_THAT(out, StartsWith("        ms     Minstr        ops  pass\n"));
  EXPECT_THAT(out, HasSubstr("  build-program\n"));
  EXPECT_THAT(out, EndsWith("  all passes\n"));
}

TEST(PassFlagsTest, StopAfter) {
  EXPECT_EQ(Tessera({"shard", ModuleFile(), "--stop-after=sdy-user-priority-propagate"}).out,
            "mesh <[\"a\"=4]>\n"
            "entry e(%arg0 f32[6] [{\"a\"}]) {\n"
            "  %n f32[6] [{\"a\", ?}] = negate(%arg0)\n"
            "  return(%n) -> [{\"a\", ?}]\n"
            "}\n");
  EXPECT_THAT(Tessera({"shardings", ModuleFile(), "--stop-after=sdy-close-shardings"}).out,
              HasSubstr("entry e(%arg0 f32[6] [{\"a\":(1)2}]) {\n"));
  // HLO where the program is HLO.
  EXPECT_THAT(Tessera({"shard", ModuleFile(), "--stop-after=tuple-simplifier"}).out,
              HasSubstr("%n = f32[6]{0} negate(%x), sharding="));
}

TEST(PassFlagsTest, DumpAfter) {
  const std::string folder = ::testing::TempDir() + "/passes_verb_test_dump";
  const Outcome plain = Tessera({"shard", ModuleFile()});
  const Outcome dumped = Tessera({"shard", ModuleFile(), "--dump-after=all:" + folder});
  EXPECT_EQ(dumped.out, plain.out);
  EXPECT_EQ(ReadFile(folder + "/57.write-kept-text.txt"), plain.out);
  EXPECT_EQ(ReadFile(folder + "/09.build-program.txt"),
            "entry e(%arg0 f32[6]) {\n  %n f32[6] = negate(%arg0)\n  return(%n) -> none\n}\n");
}

// Those of a target stand between the clean-ups and the import, and have numbers of the same list.
TEST(PassFlagsTest, PassesInFrontOfShardy) {
  const std::string file = TestFile("m.hlo",
                                    "HloModule m, num_partitions=4\n"
                                    "ENTRY e {\n"
                                    "  x = f32[8] parameter(0), sharding={mesh['a'=4], [{'a'}]}\n"
                                    "  n = f32[2,4] reshape(x)\n"
                                    "  ROOT m = f32[8] reshape(n)\n"
                                    "}\n");
  const auto program = [&](const std::string& pass) {
    return Tessera({"shardings", file, "--target=tpu-v5e:2x2", "--stop-after=" + pass}).out;
  };
  EXPECT_THAT(program("cse-before-shardy"), HasSubstr(" reshape("));
  EXPECT_THAT(program("simplify-before-shardy"),
              AllOf(HasSubstr("ENTRY "), Not(HasSubstr(" reshape("))));
  const std::string folder = ::testing::TempDir() + "/in_front";
  const Outcome dumped =
      Tessera({"shardings", file, "--target=tpu-v5e:2x2", "--dump-after=all:" + folder});
  EXPECT_EQ(dumped.out, Tessera({"shardings", file, "--target=tpu-v5e:2x2"}).out) << dumped.err;
  const std::string list = Tessera({"passes", "--target=tpu-v5e:2x2"}).out;
  for (const std::string name : {"end-clean-up", "simplify-before-shardy", "build-program"}) {
    int number = 0;
    ASSERT_TRUE(RE2::PartialMatch(list, "\n *(\\d+)  [a-z-]+ +[=~-] " + name + " ", &number))
        << list;
    const std::string text = ReadFile(absl::StrFormat("%s/%02d.%s.txt", folder, number, name));
    EXPECT_EQ(absl::StrContains(text, "reshape("), name == "end-clean-up") << text;
  }
}

// Passes of one name are told apart by their number, that of the list and of the file.
TEST(PassFlagsTest, PassesHaveNumbers) {
  const std::string list = Tessera({"passes", "--target=h100:4"}).out;
  std::vector<std::string> numbers;
  for (const absl::string_view line : absl::StrSplit(list, '\n')) {
    if (!absl::StrContains(line, "= algsimp ")) continue;
    int number = 0;
    ASSERT_TRUE(absl::SimpleAtoi(line.substr(0, 2), &number)) << line;
    numbers.push_back(absl::StrFormat("%02d.algsimp", number));
  }
  ASSERT_GT(numbers.size(), 1u);
  const std::string folder = ::testing::TempDir() + "/numbered";
  const Outcome run = Tessera({"collectives", ModuleFile(), "--target=h100:4",
                               "--dump-after=algsimp:" + folder, "--stop-after=" + numbers.back()});
  EXPECT_EQ(run.exit, 0) << run.err;
  for (const std::string& number : numbers) {
    EXPECT_TRUE(std::ifstream(absl::StrCat(folder, "/", number, ".txt")).good()) << number;
  }
}

TEST(PassFlagsTest, PassTiming) {
  EXPECT_THAT(Tessera({"shardings", ModuleFile(), "--pass-timing"}).err,
              AllOf(HasSubstr("  sdy-user-priority-propagate\n"), EndsWith("  all passes\n")));
}

// It made a text with room for what the target's passes add, ran them again, and did not end.
TEST(PassFlagsTest, OnATargetTheLastPassWritesANewModule) {
  const Outcome run =
      Tessera({"shardings", ModuleFile(), "--target=h100:4", "--stop-after=write-xla-module"});
  EXPECT_THAT(run.out, HasSubstr("\nENTRY ")) << run.err;
}

TEST(PassFlagsTest, ADumpOfAPassThatDoesNotRunIsANote) {
  EXPECT_THAT(Tessera({"shardings", ModuleFile(), "--dump-after=lower-to-hlo:d"}).err,
              HasSubstr("lower-to-hlo: the answer needs no such pass, so it did not run"));
}

TEST(PassFlagsTest, UnknownPass) {
  const Outcome stop = Tessera({"shard", ModuleFile(), "--stop-after=sdy-close-sharding"});
  EXPECT_EQ(stop.exit, 2);
  EXPECT_THAT(stop.err, StartsWith("--stop-after: no pass of this pipeline is named "
                                   "'sdy-close-sharding'; the nearest names are "
                                   "sdy-close-shardings, "));
  EXPECT_EQ(Tessera({"shardings", ModuleFile(), "--dump-after=nothing:d"}).exit, 2);
  EXPECT_EQ(Tessera({"shardings", ModuleFile(), "--target=h100:4",
                     "--stop-after=gpu-all-reduce-combiner"})
                .err,
            "--stop-after: 'gpu-all-reduce-combiner' runs after these passes: `tessera "
            "collectives FILE --target=h100:4 --stop-after=gpu-all-reduce-combiner` shows the "
            "program after it\n");
  EXPECT_THAT(Tessera({"shard", ModuleFile(), "--stop-after=spmd-partitioning"}).err,
              HasSubstr("`tessera partition FILE` shows"));
  EXPECT_THAT(
      Tessera({"shardings", ModuleFile(), "--target=tpu-v5e:2x2", "--dump-after=table-copies:d"})
          .err,
      HasSubstr("memory FILE --target=tpu-v5e:2x2 --dump-after=table-copies` shows"));
  const Outcome folder = Tessera({"shard", ModuleFile(), "--dump-after=all:" + ModuleFile()});
  EXPECT_EQ(folder.exit, 2);
  EXPECT_THAT(folder.err, HasSubstr("--dump-after: cannot make the folder "));
}

}  // namespace
}  // namespace tessera::pipeline
