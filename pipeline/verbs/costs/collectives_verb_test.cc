#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// After propagation: a sum over all devices, then rows from columns.
constexpr char kAfter[] =
    "HloModule m, num_partitions=8\n"
    "ENTRY e {\n"
    "  x = f32[16,32] parameter(0), sharding={devices=[1,8]<=[8]}\n"
    "  w = f32[32,64] parameter(1), sharding={devices=[8,1]<=[8]}\n"
    "  d = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={replicated}, metadata={op_name=\"dot\" source_file=\"m.py\" source_line=7}\n"
    "  n = f32[16,32] negate(x), sharding={devices=[8,1]<=[8]}\n"
    "  ROOT t = (f32[16,64], f32[16,32]) tuple(d, n), "
    "sharding={{replicated}, {devices=[8,1]<=[8]}}\n"
    "}\n";

// Before it.
constexpr char kBefore[] =
    "HloModule m\n"
    "ENTRY e {\n"
    "  x = f32[16,32] parameter(0)\n"
    "  w = f32[32,64] parameter(1)\n"
    "  ROOT d = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "}\n";

Outcome RunOn(const std::string& module, std::vector<std::string> words) {
  words.insert(words.begin(), {"collectives", TestFile("m.hlo", module)});
  return RunTessera({CollectivesVerb()}, words);
}

TEST(CollectivesVerbTest, TheMostExpensiveFirst) {
  const Outcome run = RunOn(kAfter, {});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out,
            "2 collectives, each device sends 7.22 KiB\n"
            "     7 KiB x1    all-reduce f32[16,64] over [1,8]<=[8]: d of x, dot  # m.py:7\n"
            "     224 B x1    all-to-all f32[8,2,4] over [1,8]<=[8]: n of x\n");
}

TEST(CollectivesVerbTest, FiltersChoose) {
  const auto first_line = [](std::vector<std::string> words) {
    const std::string out = RunOn(kAfter, std::move(words)).out;
    return out.substr(0, out.find('\n'));
  };
  EXPECT_EQ(first_line({"--match=m.py"}), "1 collective, each device sends 7 KiB");
  EXPECT_EQ(first_line({"--min-bytes=1KiB"}), "1 collective, each device sends 7 KiB");
  EXPECT_EQ(first_line({"--top=1"}), "2 collectives, each device sends 7.22 KiB");
  EXPECT_THAT(RunOn(kAfter, {"--top=1"}).out, EndsWith("\nand 1 more: --top=0\n"));
  EXPECT_THAT(RunOn(kAfter, {"--top=1", "--by=op"}).out, EndsWith("\nand 1 more: --top=0\n"));
  EXPECT_EQ(first_line({"--match=all-to-all"}), "1 collective, each device sends 224 B");
  EXPECT_EQ(first_line({"--mesh=a=2,b=4", "--axis=b"}),
            "2 collectives, each device sends 7.22 KiB");
  EXPECT_THAT(RunOn(kAfter, {"--mesh=a=2,b=4", "--axis=c"}).err, HasSubstr("the axes are a, b"));
  EXPECT_THAT(RunOn(kAfter, {"--match=nothing"}).err,
              HasSubstr("note: none of 2 collectives passes --match=nothing"));
}

// A reshape leaves sub-axes, which results do not keep: the pass adds the instruction that returns them.
TEST(CollectivesVerbTest, ResultsGoByTheNamesOfShardings) {
  constexpr char kReshape[] =
      "HloModule m, num_partitions=4\nENTRY main {\n"
      "  x = f32[8,16] parameter(0), sharding={mesh['a'=4], [{'a'}, {}]}\n"
      "  r = f32[2,64] reshape(x)\n  ROOT y = f32[2,64] negate(r)\n";
  EXPECT_THAT(RunOn(absl::StrCat(kReshape, "}\n"), {}).out,
              HasSubstr("all-gather f32[2,64] over a:(1)2: result of y\n"));
  const std::string two = absl::StrReplaceAll(kReshape, {{"ROOT y", "y"}}) +
                          "  ROOT t = (f32[8,16], f32[2,64]) tuple(x, y)\n}\n";
  EXPECT_THAT(RunOn(two, {}).out, HasSubstr("over a:(1)2: result{1} of y\n"));
}

// The name of a get-tuple-element may be that of another array in FILE.
TEST(CollectivesVerbTest, AnElementOfATupleGoesByTheTuple) {
  const Outcome run = RunOn(
      "HloModule m, num_partitions=8\n"
      "ENTRY e {\n"
      "  p = (f32[8,4], f32[16,32]) parameter(0), "
      "sharding={{replicated}, {devices=[1,8]<=[8]}}\n"
      "  x = f32[16,32] get-tuple-element(p), index=1, sharding={devices=[1,8]<=[8]}\n"
      "  ROOT n = f32[16,32] negate(x), sharding={replicated}\n"
      "}\n",
      {});
  EXPECT_THAT(run.out, HasSubstr("all-gather f32[16,32] over [1,8]<=[8]: n of p{1}\n")) << run.err;
}

TEST(CollectivesVerbTest, AMeshGivesNames) {
  EXPECT_THAT(RunOn(kAfter, {"--mesh=a=2,b=4"}).out, HasSubstr("over a,b: d of x"));
}

// Review: front D12. A flag that only propagation reads is never left unread.
TEST(CollectivesVerbTest, AFlagOfPropagationPropagates) {
  for (const char* flag : {"--strategy=basic", "--schedule=flat", "--conservative",
                           "--rule=flip=([i])->([i])", "--import=auto"}) {
    const Outcome run = RunOn(kAfter, {flag, "--mesh=a=8"});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.err, ::testing::Not(HasSubstr("not propagated again"))) << flag;
    const Outcome as_is = RunOn(kAfter, {flag, "--as-is"});
    EXPECT_EQ(as_is.exit, 2) << flag;
    EXPECT_THAT(as_is.err, HasSubstr("expected --as-is or --")) << flag;
  }
}

// The verbs that show shardings and those that count costs read final shardings as they are.
TEST(CollectivesVerbTest, FinalShardingsAreReadByEveryVerb) {
  const std::string named =
      "HloModule m, num_partitions=2\nENTRY e {\n  x = f32[16] parameter(0), "
      "sharding={mesh['a'=2], [{'a'}]}\n  ROOT n = f32[16] negate(x), "
      "sharding={mesh['a'=2], [{}]}\n}\n";
  const std::string file = TestFile("named.hlo", named);
  const Outcome shown = RunTessera({ShardingsVerb()}, {"shardings", file});
  EXPECT_THAT(shown.err, HasSubstr("note: the shardings look final, as after propagation, and are "
                                   "read as they are; --import=hlo"));
  EXPECT_THAT(shown.out, HasSubstr("n: f32[16] P()"));  // propagation would give it 'a'
  EXPECT_THAT(RunOn(named, {}).err, HasSubstr("not propagated again"));
}

TEST(CollectivesVerbTest, Sums) {
  EXPECT_THAT(RunOn(kAfter, {"--by=line"}).out, HasSubstr("7 KiB      1  m.py:7\n"));
  EXPECT_THAT(RunOn(kAfter, {"--by=op"}).out, HasSubstr("224 B      1  all-to-all\n"));
  EXPECT_THAT(RunOn(kAfter, {"--by=axis", "--mesh=a=8"}).out, HasSubstr("2  a\n"));
  EXPECT_THAT(RunOn(kAfter, {"--by=size"}).err, HasSubstr("expected axis, line or op"));
}

TEST(CollectivesVerbTest, OtherModulesArePropagatedFirst) {
  const Outcome run =
      RunOn(kBefore, {"--mesh=a=2,b=4", "--annotate=x=P(None,'b')", "--annotate=w=P('b',None)"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("all-reduce f32[16,64] over b: d"));
}

// A loop of 9e18 trips that gathers in each.
constexpr char kEndless[] =
    "HloModule m, num_partitions=8\n"
    "body {\n"
    "  p = (s64[], f32[16]) parameter(0), sharding={{replicated}, {devices=[8]<=[8]}}\n"
    "  i = s64[] get-tuple-element(p), index=0, sharding={replicated}\n"
    "  one = s64[] constant(1)\n"
    "  next = s64[] add(i, one), sharding={replicated}\n"
    "  x = f32[16] get-tuple-element(p), index=1, sharding={devices=[8]<=[8]}\n"
    "  whole = f32[16] negate(x), sharding={replicated}\n"
    "  ROOT t = (s64[], f32[16]) tuple(next, whole), "
    "sharding={{replicated}, {devices=[8]<=[8]}}\n"
    "}\n"
    "condition {\n"
    "  p = (s64[], f32[16]) parameter(0), sharding={{replicated}, {devices=[8]<=[8]}}\n"
    "  i = s64[] get-tuple-element(p), index=0, sharding={replicated}\n"
    "  last = s64[] constant(9000000000000000000)\n"
    "  ROOT c = pred[] compare(i, last), direction=LT, sharding={replicated}\n"
    "}\n"
    "ENTRY e {\n"
    "  zero = s64[] constant(0)\n"
    "  x = f32[16] parameter(0), sharding={devices=[8]<=[8]}\n"
    "  t = (s64[], f32[16]) tuple(zero, x), sharding={{replicated}, {devices=[8]<=[8]}}\n"
    "  ROOT w = (s64[], f32[16]) while(t), condition=condition, body=body, "
    "backend_config={\"known_trip_count\":{\"n\":\"9000000000000000000\"}}, "
    "sharding={{replicated}, {devices=[8]<=[8]}}\n"
    "}\n";

TEST(CollectivesVerbTest, BytesThatDoNotFitAreAnError) {
  const Outcome run = RunOn(kEndless, {"--as-is"});
  EXPECT_EQ(run.exit, 2) << run.out;
  EXPECT_THAT(run.err, HasSubstr("the sum of what all collectives send"));
}

TEST(CollectivesVerbTest, RefusalsHaveAPlace) {
  const Outcome run =
      RunOn("HloModule m, num_partitions=8\nENTRY e {\n  ROOT p = u32[] partition-id()\n}\n",
            {"--as-is"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("m.hlo:3:3: error: partition-id outside"));
}

TEST(CollectivesVerbTest, ShardingsAreForTheDevicesOfTheModule) {
  const Outcome run = RunOn(
      "HloModule m, num_partitions=4\nENTRY e {\n  ROOT x = f32[16] parameter(0), "
      "sharding={devices=[8]<=[8]}\n}\n",
      {});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("it has 8 devices, the program has 4"));
}

// A dot whose partial results are added over all devices.
constexpr char kSummedDot[] =
    "HloModule m, num_partitions=8\nENTRY e {\n"
    "  x = f32[16,64] parameter(0), sharding={devices=[1,8]<=[8]}\n"
    "  w = f32[64,32] parameter(1), sharding={devices=[8,1]<=[8]}\n"
    "  ROOT y = f32[16,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={replicated}\n}\n";

TEST(CollectivesVerbTest, FormulasOfBytesAndTimes) {
  const Outcome bytes = RunOn(kSummedDot, {"--formulas"});
  EXPECT_THAT(bytes.out, HasSubstr("                 sends 2 (n-1)/n V, n = 8, V = 2 KiB\n"));
  EXPECT_THAT(bytes.out, Not(HasSubstr(" us: ")));
  const Outcome times = RunOn(kSummedDot, {"--formulas", "--target=tpu-v5e:2x4"});
  EXPECT_THAT(times.out, HasSubstr(" if nothing overlaps, on tpu-v5e:2x4\n"));
  EXPECT_THAT(times.out, HasSubstr(" us: line of 2 and line of 4 at once: "));
  EXPECT_THAT(RunOn(kSummedDot, {"--formulas", "--target=tpu-v5e:2x4", "--json"}).out,
              HasSubstr("\"bytes_formula\":\"2 (n-1)/n V, n = 8, V = 2 KiB\",\"seconds_once\":"));
  EXPECT_EQ(RunOn(kSummedDot, {"--formulas", "--by=op"}).exit, 2);
}

// NVLink's switch adds: the bytes of the line, of its formula and of its time are V.
TEST(CollectivesVerbTest, BytesAreThoseOfTheLinksOfTheTarget) {
  EXPECT_THAT(RunOn(kSummedDot, {}).out, HasSubstr("each device sends 3.5 KiB\n"));
  EXPECT_THAT(RunOn(kSummedDot, {"--target=a100:8"}).out, HasSubstr("each device sends 3.5 KiB\n"));
  const Outcome on_nvlink = RunOn(kSummedDot, {"--target=h100:8"});
  EXPECT_THAT(on_nvlink.out, HasSubstr("each device sends 2 KiB\n"));
  EXPECT_THAT(on_nvlink.err, HasSubstr("note: 1 all-reduce is added in the switch (NVLink SHARP"));
  EXPECT_THAT(RunOn(kSummedDot, {"--target=a100:8"}).err, Not(HasSubstr("switch")));
  const Outcome times = RunOn(kSummedDot, {"--formulas", "--target=h100:8"});
  EXPECT_THAT(times.out, HasSubstr("     2 KiB x1    all-reduce "));
  EXPECT_THAT(times.out, HasSubstr("sends V, added in the switch, V = 2 KiB\n"));
  EXPECT_THAT(times.out, HasSubstr("2 steps, 2048 bytes from each device\n"));
}

constexpr char kFinalOfTpu[] =
    "HloModule m, is_scheduled=true, num_partitions=8\n\nENTRY e {\n"
    "  ROOT x = f32[8,128]{1,0:T(8,128)} parameter(0)\n}\n";

// Of 22 sums; the last has another shape, and the one before is of another line.
TEST(CollectivesVerbTest, LayersOfALongListShareAnEntry) {
  const auto module = [](int layers) {
    std::string text = "HloModule m, num_partitions=8\nENTRY e {\n";
    std::string results, types, shardings;
    for (int k = 0; k < layers; ++k) {
      const std::string n = std::to_string(k), rows = k + 1 < layers ? "16" : "8";
      text += absl::StrCat(
          "  x", n, " = f32[", rows, ",64] parameter(", 2 * k, "), sharding={devices=[1,8]<=[8]}\n",
          "  w", n, " = f32[64,32] parameter(", 2 * k + 1, "), sharding={devices=[8,1]<=[8]}\n",
          "  y", n, " = f32[", rows, ",32] dot(x", n, ", w", n,
          "), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={replicated}, ",
          "metadata={op_name=\"layer_", n,
          "/dot\" source_file=\"m.py\" source_line=", k + 2 == layers ? 8 : 7, "}\n");
      const char* const comma = k == 0 ? "" : ", ";
      absl::StrAppend(&results, comma, "y", n);
      absl::StrAppend(&types, comma, "f32[", rows, ",32]");
      absl::StrAppend(&shardings, comma, "{replicated}");
    }
    return absl::StrCat(text, "  ROOT t = (", types, ") tuple(", results, "), sharding={",
                        shardings, "}\n}\n");
  };
  const std::string many = module(22), few = module(20);
  EXPECT_THAT(RunOn(many.c_str(), {}).out,
              HasSubstr(", layer_0/dot  # m.py:7\n"
                        "                 and 19 alike, 70 KiB in all; --json has each\n"
                        "   3.5 KiB x1    all-reduce f32[16,32] over [1,8]<=[8]: y20 of x20, "
                        "layer_20/dot  # m.py:8\n"
                        "  1.75 KiB x1    all-reduce f32[8,32]"));
  EXPECT_THAT(RunOn(many.c_str(), {"--match=layer_1"}).out, Not(HasSubstr("alike")));
  EXPECT_THAT(RunOn(many.c_str(), {"--json"}).out, HasSubstr("layer_20/dot"));
  EXPECT_THAT(RunOn(few.c_str(), {}).out, Not(HasSubstr("alike")));
}

TEST(CollectivesVerbTest, FinalModulesAreForTheirPlatformAndDevices) {
  EXPECT_THAT(
      RunOn(kFinalOfTpu, {"--target=h100:8"}).err,
      HasSubstr("--target=h100:1x1x8: the module was compiled for a TPU (tiles in layouts); "
                "give that target, or the module before its compilation"));
  EXPECT_THAT(RunOn(kFinalOfTpu, {"--target=tpu-v5e:4x4"}).err,
              HasSubstr("has 16 devices, the module was compiled for 8"));
  EXPECT_THAT(RunOn(kFinalOfTpu, {"--mesh=expert=3"}).err,
              HasSubstr("--mesh=expert=3 has 3 devices, the module runs on 8"));
}

// The bytes are those of the operand.
TEST(CollectivesVerbTest, ASumMayHaveAnotherTypeThanItsOperand) {
  EXPECT_THAT(RunOn("HloModule m, is_scheduled=true, num_partitions=8\n\n"
                    "s {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                    "  ROOT c = f32[] add(a, b)\n}\n\nENTRY e {\n  x = f32[8,128] parameter(0)\n"
                    "  ROOT r = bf16[8,128] all-reduce(x), replica_groups={{0,1,2,3,4,5,6,7}}, "
                    "to_apply=s\n}\n",
                    {})
                  .out,
              HasSubstr("   7 KiB x1    all-reduce f32 -> bf16[8,128] over "));
}

TEST(CollectivesVerbTest, FlagsOfPassesSayNothingOfAFinalModule) {
  EXPECT_EQ(RunOn(kFinalOfTpu, {"--target=tpu-v5e:2x4"}).err, "");
  EXPECT_EQ(RunOn(kFinalOfTpu, {"--target=tpu-v5e:2x4", "--dump-after=all:nowhere",
                                "--xla-flags=--xla_jf_crs_combiner_threshold_count=1"})
                .err,
            "note: the module is compiled already: --dump-after and --xla-flags have no effect\n");
}

}  // namespace
}  // namespace tessera::pipeline
