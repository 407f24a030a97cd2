#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "re2/re2.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/capturing_loop_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kModule[] = R"(HloModule m

ENTRY e {
  x = f32[8,32] parameter(0), metadata={op_name="x" source_file="model.py" source_line=30}
  w = f32[32,16] parameter(1), metadata={op_name="params['w']" source_file="model.py" source_line=31}
  s = f32[8,32] sine(x), metadata={op_name="jit(f)/sin" source_file="model.py" source_line=40}
  c = f32[8,32] cosine(s), metadata={op_name="jit(f)/cos" source_file="model.py" source_line=40}
  ROOT y = f32[8,16] dot(c, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/dot_general" source_file="model.py" source_line=41}
}
)";

Outcome RunOn(const std::string& module, std::vector<std::string> words) {
  words.insert(words.begin() + 1, TestFile("m.hlo", module));
  words.push_back("--mesh=a=2,b=2");
  return RunTessera({ExplainVerb()}, words);
}

Outcome RunVerb(std::vector<std::string> words) {
  words.insert(words.end(), {"--annotate=^x$=P('a', None)", "--annotate=^w$=P(None, 'b')"});
  return RunOn(kModule, words);
}

std::string Explained(std::vector<std::string> words) {
  words.insert(words.begin(), "explain");
  const Outcome run = RunVerb(words);
  EXPECT_EQ(run.exit, 0) << run.err;
  return run.out;
}

std::string Refused(const std::string& name) {
  const Outcome run = RunVerb({"explain", name});
  EXPECT_EQ(run.exit, 2) << run.out;
  return run.err;
}

// Two operands bring one axis along two factors: neither is taken, and nothing is wrong with one of them.
TEST(ExplainVerbTest, TheBasicStrategyTakesAnAxisOfNeitherFactor) {
  const Outcome run =
      RunOn(kModule, {"explain", "y:0", "--axis=a", "--strategy=basic",
                      "--annotate=^c$=P('a', None)", "--annotate=^w$=P(None, 'a')"});
  EXPECT_THAT(run.out, HasSubstr("(axis_in_use)"));
  EXPECT_THAT(run.out,
              HasSubstr("params['w'] dim 1 has 'a' already: the basic strategy moves no axis "
                        "that another factor of the operation has\n"))
      << run.err;
}

// The loop reads g0 through a copy, whose sharding is that of the loop's state.
TEST(ExplainVerbTest, TheStateOfALoopIsNotWhatItCaptures) {
  const std::string file = TestFile("loop.hlo", kCapturingLoop);
  const Outcome run = RunTessera({ExplainVerb()}, {"explain", file, "w{2}"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("w{2}  f32[4]  P('b',)\n"));
  EXPECT_THAT(RunTessera({ExplainVerb()}, {"explain", file, "g0"}).out,
              HasSubstr("it did not come from w{2} dim 0 by the copy before its loop"));
  EXPECT_THAT(
      RunTessera({ExplainVerb()}, {"explain", file, "--trace"}).out,
      HasSubstr("    opened in front of its loop (xla-sdy-open-while-free-vars-sharding)\n"));
}

TEST(ExplainVerbTest, FromTheTensorBackToTheAnnotation) {
  EXPECT_EQ(Explained({"y:1"}),
            R"(y  f32[8,16]  "jit(f)/dot_general"  model.py:41  P('a', 'b')

dim 1 has 'b' (size 2), from P(None, 'b') on parameter 1 (params['w']), model.py:31
  y dim 1           <- params['w'] dim 1  y ([i, k], [k, j])->([i, j]) factor j, step 2, level 2  model.py:41
  params['w'] dim 1                       P(None, 'b') on parameter 1  model.py:31
'a' is not on dim 1 (unreachable): no chain of dimensions leads here from x dim 0, P('a', None) on parameter 0, model.py:30

level 2: all ops, pass-through factors
)");
}

// The second source is the other operand itself: no step lies between.
TEST(ExplainVerbTest, TwoOperandsBringTheAxis) {
  const std::string file = TestFile("two.hlo", R"(HloModule two, num_partitions=2
ENTRY main {
  x = f32[4] parameter(0), sharding={mesh['a'=2], [{'a'}]}
  w = f32[4] parameter(1), sharding={mesh['a'=2], [{'a'}]}
  ROOT y = f32[4] add(x, w)
}
)");
  EXPECT_THAT(RunTessera({ExplainVerb()}, {"explain", file, "y"}).out, HasSubstr(R"(
dim 0 has 'a' (size 2), from P('a',) on parameter 0 (x)
  y dim 0 <- x dim 0  y, step 0, level 0
  x dim 0             P('a',) on parameter 0
  also from P('a',) on parameter 1 (w)
)"));
}

TEST(ExplainVerbTest, StepsThatPassItOnAreOneLine) {
  EXPECT_THAT(Explained({"y:0"}), HasSubstr(R"(
  y dim 0 <- c dim 0  y ([i, k], [k, j])->([i, j]) factor i, step 2, level 2  model.py:41
  c dim 0 <- x dim 0  passed on by 2 ops (c to s), steps 0 to 1
  x dim 0             P('a', None) on parameter 0  model.py:30
)"));
}

// With --target, instructions are those that the compiler leaves in front of Shardy.
TEST(ExplainVerbTest, OnATarget) {
  constexpr char kThereAndBack[] = R"(HloModule m, num_partitions=4

ENTRY e {
  x = f32[8] parameter(0)
  n = f32[2,4] reshape(x)
  m = f32[8] reshape(n)
  ROOT y = f32[8] sine(m)
}
)";
  const Outcome cpu = RunOn(kThereAndBack, {"explain", "m", "--annotate=^x$=P('a')"});
  EXPECT_EQ(cpu.exit, 0) << cpu.err;
  const Outcome tpu =
      RunOn(kThereAndBack, {"explain", "m", "--annotate=^x$=P('a')", "--target=tpu-v5e:2x2"});
  EXPECT_EQ(tpu.exit, 2) << tpu.out;
  EXPECT_THAT(tpu.err, HasSubstr("simplifies the program in front of Shardy"));
  EXPECT_THAT(tpu.err, HasSubstr("Nothing after the partitioner has this name"));
  EXPECT_THAT(
      RunOn(kThereAndBack, {"explain", "y", "--annotate=^x$=P('a')", "--target=tpu-v5e:2x2"}).out,
      HasSubstr("y dim 0 <- x dim 0"));
}

// A collective leads to the tensor that it was made for, by its name in the partitioned program and by that of a pass.
TEST(ExplainVerbTest, ACollectiveOfATarget) {
  constexpr char kTwoSums[] = R"(HloModule m, num_partitions=8
ENTRY e {
  x = f32[8,1024] parameter(0), sharding={mesh['k'=8], [{}, {'k'}]}
  w = f32[1024,64] parameter(1), sharding={mesh['k'=8], [{'k'}, {}]}
  v = f32[1024,32] parameter(2), sharding={mesh['k'=8], [{'k'}, {}]}
  d = f32[8,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  f = f32[8,32] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (f32[8,64], f32[8,32]) tuple(d, f)
}
)";
  const auto ask = [&](std::vector<std::string> words) {
    words.insert(words.begin() + 1, {TestFile("sums.hlo", kTwoSums), "--target=tpu-v5e:2x4"});
    return RunTessera({ExplainVerb(), CollectivesVerb(), PartitionVerb()}, words).out;
  };
  std::string name, listed = ask({"collectives"});
  ASSERT_TRUE(RE2::PartialMatch(listed, R"(f32\[8,32\]: (all-reduce\S*))", &name)) << listed;
  const std::string found = ask({"explain", name});
  EXPECT_THAT(found,
              ::testing::StartsWith(
                  name + " is made for f, after the partitioner\nthe partitioner inserts\n"));
  EXPECT_THAT(found, HasSubstr("all-reduce f32[8,32] over k: f of x\non tpu-v5e:2x4 runs\n"));
  EXPECT_THAT(found, HasSubstr("2 arrays by all-reduce-combiner"));
  EXPECT_THAT(found, HasSubstr("\n\nf  f32[8,32]"));
  EXPECT_THAT(ask({"explain", name + ":0", "--axis=k"}), HasSubstr("\ndim 0 does not have 'k'\n"));
  listed = ask({"partition", "--stage=final"});
  ASSERT_TRUE(RE2::PartialMatch(listed, R"(%(\S+) = \(.* all-reduce\()", &name)) << listed;
  EXPECT_THAT(ask({"explain", name}), HasSubstr(name + " is made for "));
  EXPECT_THAT(ask({"explain", name + "{0}"}), Not(HasSubstr("made for d, f")));
}

// Of a dump whose shardings are final, and of an instruction with several arrays.
TEST(ExplainVerbTest, ACollectiveOfAFinalModule) {
  constexpr char kFinal[] = R"(HloModule m, num_partitions=8
most {
  a = f32[] parameter(0)
  b = s32[] parameter(1)
  c = f32[] parameter(2)
  d = s32[] parameter(3)
  g = pred[] compare(a, c), direction=GT
  v = f32[] select(g, a, c)
  i = s32[] select(g, b, d)
  ROOT r = (f32[], s32[]) tuple(v, i)
}
ENTRY e {
  x = f32[8,1024] parameter(0), sharding={mesh['k'=8], [{}, {'k'}]}
  n = s32[8,1024] iota(), iota_dimension=1, sharding={mesh['k'=8], [{}, {'k'}]}
  zero = f32[] constant(0), sharding={mesh['k'=8], []}
  none = s32[] constant(0), sharding={mesh['k'=8], []}
  ROOT m = (f32[8], s32[8]) reduce(x, n, zero, none), dimensions={1}, to_apply=most, sharding={{mesh['k'=8], [{}]}, {mesh['k'=8], [{}]}}
}
)";
  const auto ask = [&](std::vector<std::string> words) {
    words.insert(words.begin() + 1, {TestFile("final.hlo", kFinal), "--target=tpu-v5e:2x4"});
    const Outcome run = RunTessera({ExplainVerb(), CollectivesVerb()}, words);
    return run.out + run.err;
  };
  std::string name;
  const std::string listed = ask({"collectives"});
  ASSERT_TRUE(RE2::PartialMatch(listed, R"(over k: (all-gather\.\d+))", &name)) << listed;
  EXPECT_THAT(ask({"explain", name}),
              ::testing::ContainsRegex(name + " is made for m, after (.*\n)*\nm.0.  f32.8."));
}

// A copy that a pass makes of an argument has no metadata: its operand has.
TEST(ExplainVerbTest, ABufferOfATarget) {
  constexpr char kPatches[] = R"(HloModule m, num_partitions=8
ENTRY e {
  x = f32[256,224,224,3] parameter(0), sharding={mesh['k'=8], [{'k'}, {}, {}, {}]}, metadata={op_name="img"}
  k = f32[16,16,3,64] parameter(1)
  ROOT c = f32[256,14,14,64] convolution(x, k), window={size=16x16 stride=16x16}, dim_labels=b01f_01io->b01f
}
)";
  const Outcome run = RunTessera({ExplainVerb()}, {"explain", TestFile("patches.hlo", kPatches),
                                                   "image-copy", "--target=tpu-v5e:2x4"});
  EXPECT_THAT(run.out, ::testing::StartsWith("image-copy is made for img, after the partitioner\n"
                                             "\nimg  f32[256,224,224,3]  P('k', "));
}

TEST(ExplainVerbTest, AllStepsForward) {
  EXPECT_THAT(Explained({"y:0", "--all", "--forward"}), HasSubstr(R"(
  x dim 0             P('a', None) on parameter 0  model.py:30
  s dim 0 <- x dim 0  s, step 0, level 0  model.py:40
  c dim 0 <- s dim 0  c, step 1, level 0  model.py:40
  y dim 0 <- c dim 0  y ([i, k], [k, j])->([i, j]) factor i, step 2, level 2  model.py:41
)"));
}

TEST(ExplainVerbTest, ManyNamesForOneTensor) {
  const std::string expected = Explained({"y"});
  EXPECT_EQ(Explained({"model.py:41"}), expected);
  EXPECT_EQ(Explained({"jit(f)/dot_general"}), expected);
  EXPECT_EQ(Explained({"e/y"}), expected);
  EXPECT_EQ(Explained({"dot_gen.*"}), expected);
  EXPECT_THAT(Explained({"params[w]:1"}), HasSubstr("'b' (size 2), from P(None, 'b')"));
  EXPECT_THAT(Explained({"result:0"}), HasSubstr("result dim 0"));
}

TEST(ExplainVerbTest, OneOfSeveralResultsHasTheNameThatShardingsPrints) {
  constexpr char kTwo[] =
      "HloModule m\nENTRY e {\n  x = f32[8,32] parameter(0)\n  s = f32[8,32] sine(x)\n"
      "  ROOT t = (f32[8,32], f32[8,32]) tuple(x, s)\n}\n";
  const std::string out = RunOn(kTwo, {"explain", "result{1}", "--annotate=^x$=P('a', None)"}).out;
  EXPECT_THAT(out, ::testing::StartsWith("result{1}  f32[8,32]"));
  EXPECT_THAT(out, HasSubstr("\n  result{1} dim 0 <- s dim 0"));
}

TEST(ExplainVerbTest, WhatItsOwnAnnotationClosesIsSaid) {
  const Outcome run = RunOn(kModule, {"explain", "x:1", "--axis=b", "--annotate=^x$=P('a', None)",
                                      "--annotate=^w$=P(None, 'b')"});
  EXPECT_THAT(run.out, HasSubstr("'b' is not on dim 1 (unreachable)"));
  EXPECT_THAT(run.out, HasSubstr("\ndim 1 is closed, propagation adds no axis: P('a', None) on "
                                 "parameter 0 (x), model.py:30\n"));
}

TEST(ExplainVerbTest, OneAxis) {
  EXPECT_THAT(Explained({"y", "--axis=b"}), Not(HasSubstr("'a' (size 2)")));
  EXPECT_THAT(Explained({"y", "--axis=b"}), HasSubstr("dim 0 does not have 'b'"));
  EXPECT_THAT(RunVerb({"explain", "y", "--axis=q"}).err, HasSubstr("the axes are a, b"));
}

TEST(ExplainVerbTest, WhyNotAndWhatWouldHelp) {
  const Outcome run = RunOn(kModule, {"explain", "y:0", "--axis=a", "--annotate=^x$=P(a?, None)",
                                      "--annotate=^w$=P(None, a?)"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out, R"(y  f32[8,16]  "jit(f)/dot_general"  model.py:41  P(None, 'a')
dim 0 does not have 'a'
'a' is not on dim 0 (lost_conflict): it did not come from c dim 0 by y ([i, k], [k, j])->([i, j]) factor i  model.py:41
  y dim 1 got 'a' from params['w'] dim 1 in the same step, and was taken first: larger source (512 elements over 256)
To get 'a' on dim 0 (each tried):
  1. drop 'a' from params['w']: P(None, 'a'?) -> P(None, UNCONSTRAINED)   1 annotation; 2 other tensors change; each device sends 1 KiB less; arguments 1 KiB larger
  2. constrain y: P('a', None)   1 annotation; 1 other tensor changes; each device sends 1 KiB more
  3. priority 1 on params['w']: P(None, 'a'?) waits   1 annotation; 1 other tensor changes; each device sends 1 KiB more
  bytes are of the partitioner's collectives, the fewest first; --target has the final ones
)");
}

// A TPU sums both products at once where they are sharded alike, and gathers in bf16: edits are worth less there.
TEST(ExplainVerbTest, EditsArePricedOnTheTarget) {
  constexpr char kSums[] =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"a\"=2, \"b\"=2]>}"}, num_partitions=4

ENTRY e {
  x = f32[64,1024] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {\"a\"}]>"}
  v = f32[1024,512] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}, {\"b\"}]>"}
  w = f32[1024,512] parameter(2), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}, {\"b\"}]>"}
  p = f32[64,512] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  k = f32[64,512] custom-call(p), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {}]>]>"}
  q = f32[64,512] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  y = f32[64,512] add(k, q)
  ROOT t = (f32[64,512], f32[64,512]) tuple(y, k)
}
)";
  const std::string file = TestFile("sums.hlo", kSums);
  const std::vector<std::string> words = {"explain", file, "p:1", "--axis=b"};
  EXPECT_THAT(
      RunTessera({ExplainVerb()}, words).out,
      ::testing::ContainsRegex("  1. open constraint k: .*576 KiB less\n(.*\n)*  .. constrain p: "
                               ".*\n(.*\n)*  bytes are of the partitioner's "));
  std::vector<std::string> on_target = words;
  on_target.push_back("--target=tpu-v5e:2x2");
  EXPECT_THAT(RunTessera({ExplainVerb()}, on_target).out,
              ::testing::ContainsRegex("  1. open constraint k: .*320 KiB less\n(.*\n)*  bytes are "
                                       "of the collectives that finally run on tpu-v5e:2x2; the "
                                       "fewest first"));
}

// Either dimension may come first, or both at once.
TEST(ExplainVerbTest, PrioritiesAreChangedWhereTheyDecide) {
  constexpr char kRounds[] =
      R"(HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"x\"=4, \"y\"=2]>}"}
ENTRY e {
  a = f32[8,6] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}p1, {}]>"}
  w = f32[6,8] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {\"x\"}p0]>"}
  ROOT d = f32[8,8] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";
  const Outcome run =
      RunTessera({ExplainVerb()}, {"explain", TestFile("rounds.hlo", kRounds), "d:0", "--axis=x"});
  EXPECT_THAT(run.out, HasSubstr("'x' is not on dim 0 (later_user_priority)"));
  EXPECT_THAT(run.out, HasSubstr(". raise the priority of a: <@mesh, [{\"x\"}p1, {}]> -> "
                                 "P('x', None)   1 annotation"));
  EXPECT_THAT(run.out, HasSubstr(". priority 2 on w: <@mesh, [{}, {\"x\"}p0]> waits"));
}

// What the constrained tensor has is one edit more.
TEST(ExplainVerbTest, TheAxesOfTheNeighbourAreTriedTogether) {
  constexpr char kBoth[] =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"a\"=2, \"b\"=2]>}"}

ENTRY e {
  x = f32[16,8] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\", \"b\", ?}, {?}]>"}
  s = f32[16,8] sine(x)
  k = f32[16,8] custom-call(s), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {}]>]>"}
  ROOT y = f32[16,8] cosine(k)
}
)";
  EXPECT_THAT(RunOn(kBoth, {"explain", "y:0", "--axis=a"}).out,
              HasSubstr("add the axes of x to constraint k: P() -> P(('a', 'b'), None)"));
}

constexpr char kFarAway[] =
    R"(HloModule m, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"a\"=2, \"b\"=2]>}"}

ENTRY e {
  x = f32[16,8] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\", ?}, {?}]>"}
  w = f32[16,8] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"b\", ?}, {?}]>"}
  s = f32[16,8] sine(x)
  k = f32[16,8] custom-call(s), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {}]>]>"}, metadata={source_file="model.py" source_line=50}
  ROOT y = f32[16,8] add(k, w)
}
)";

TEST(ExplainVerbTest, TheObviousFixIsNotEnough) {
  const Outcome run = RunOn(kFarAway, {"explain", "y:0", "--axis=a"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("  s dim 0 is closed by constraint P(), model.py:50\n"));
  EXPECT_THAT(run.out, HasSubstr("x dim 0 | s dim 0 -> k dim 0 -> y dim 0\n"));
  EXPECT_THAT(run.out, HasSubstr("constrain y: P('a', None)   1 annotation"));
  EXPECT_THAT(run.out, HasSubstr("not enough: open constraint k: P() -> "));
  EXPECT_THAT(run.out,
              HasSubstr("open constraint k: P() -> P(UNCONSTRAINED, None) and priority 1 on w: "
                        "P('b'?, UNCONSTRAINED) waits   2 annotations; "));
}

// Nothing is propagated there: no operation refused an axis, and no annotation would bring one. --mesh names the axes.
TEST(ExplainVerbTest, FinalShardingsAreReadAsTheyAre) {
  constexpr char kFinal[] =
      "HloModule m, num_partitions=4\n\nENTRY e {\n"
      "  x = f32[16,8] parameter(0), sharding={devices=[4,1]<=[4]}\n"
      "  s = f32[16,8] sine(x), sharding={replicated}\n"
      "  ROOT y = f32[16,8] cosine(s), sharding={replicated}\n}\n";
  const Outcome run = RunOn(kFinal, {"explain", "y:0", "--axis=a"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, testing::EndsWith("dim 0 does not have 'a'\n"
                                         "the shardings were read as final, and nothing was "
                                         "propagated: --import=hlo propagates, and says why\n"));
  EXPECT_THAT(RunOn(kFinal, {"explain", "y:0", "--axis=a", "--import=hlo"}).out,
              HasSubstr("(closed_dimension)"));
  EXPECT_THAT(RunOn(kFinal, {"explain"}).out,
              ::testing::ContainsRegex("\n   read as final, nothing was propagated; tessera "
                                       "explain .* s:0 --axis=a --mesh=a=2,b=2 --import=hlo\n"));
  const std::string file = TestFile("m.hlo", kFinal);
  const Outcome unnamed = RunTessera({ExplainVerb()}, {"explain", file, "y:0"});
  EXPECT_THAT(unnamed.err, HasSubstr("; --mesh names their axes"));
  const Outcome other = RunTessera({ExplainVerb()}, {"explain", file, "y:0", "--mesh=a=2"});
  EXPECT_EQ(other.exit, 2);
  EXPECT_THAT(other.err, HasSubstr("{devices=[4,1]<=[4]} does not fit on a mesh of 2 devices"));
}

// The pass puts an infeed with its token on one device.
TEST(ExplainVerbTest, AnInfeedLosesItsAxesToOneDevice) {
  const std::string file = TestFile("infeed.hlo",
                                    "HloModule m, num_partitions=4\nENTRY e {\n"
                                    "  x = f32[8,4] parameter(0), sharding={devices=[4,1]<=[4]}\n"
                                    "  t0 = token[] after-all()\n"
                                    "  i = (f32[8,4], token[]) infeed(t0), "
                                    "sharding={{devices=[4,1]<=[4]},{maximal device=0}}\n"
                                    "  v = f32[8,4] get-tuple-element(i), index=0\n"
                                    "  ROOT s = f32[8,4] add(v, x)\n}\n");
  const Outcome run = RunTessera({ExplainVerb()}, {"explain", file});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("single_device: it lives on a single device"));
}

TEST(ExplainVerbTest, AxesOfWhichTheSameIsTrueShareALine) {
  const Outcome run = RunOn(kModule, {"explain", "y"});
  EXPECT_THAT(run.out,
              HasSubstr("\n'a', 'b' are on no dim (never_requested): no annotation names it\n"));
}

TEST(ExplainVerbTest, WithoutANameThePageOfSurprises) {
  const Outcome run = RunOn(kModule, {"explain", "--annotate=^x$=P(a, None)"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out,
              HasSubstr("1. 1 KiB  params['w'] f32[32,16] is replicated on every device; "));
  EXPECT_THAT(run.out, HasSubstr(" \"params['w']:0\" --axis=a --mesh=a=2,b=2 --annotate="));
  const Outcome json = RunOn(kModule, {"explain", "--json", "--annotate=^x$=P(a, None)"});
  EXPECT_THAT(json.out, HasSubstr(R"("kind":"replicated")"));
  EXPECT_THAT(RunOn(kModule, {"explain", "--annotate=^x$=P(a, None)", "--match=none"}).out,
              HasSubstr("no surprises"));
  EXPECT_EQ(RunOn(kModule, {"explain"}).out,
            "nothing is sharded: no annotation gives a tensor an axis\n");
}

// Both sides of the constraint lack 'a'.
TEST(ExplainVerbTest, PlacesThatOneAnnotationClosesAreOneEntry) {
  constexpr char kClosed[] =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"a\"=2, \"b\"=2]>}"}

ENTRY e {
  x = f32[16,8] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\", \"b\"}, {}]>"}
  s = f32[16,8] sine(x)
  k = f32[16,8] custom-call(s), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {}]>]>"}
  c = f32[16,8] cosine(k)
  ROOT y = f32[16,8] add(c, x)
}
)";
  const Outcome run = RunOn(kClosed, {"explain"});
  EXPECT_THAT(run.out, HasSubstr("   the same annotation also blocks "));
  EXPECT_THAT(run.out, Not(HasSubstr("\n2. ")));
}

// An optimizer's state that is sharded nowhere: gate and up are one entry, and up has none of its own.
TEST(ExplainVerbTest, ArgumentsThatAreAlikeHaveOneReason) {
  constexpr char kState[] = R"(HloModule m
ENTRY e {
  g = f32[64,32] parameter(0), metadata={op_name="g"}
  gate = f32[64,32] parameter(1), metadata={op_name="v['gate']"}
  up = f32[64,32] parameter(2), metadata={op_name="v['up']"}
  a = f32[64,32] multiply(g, gate)
  b = f32[64,32] multiply(g, up)
  ROOT t = (f32[64,32], f32[64,32]) tuple(a, b)
}
)";
  const Outcome run =
      RunOn(kState, {"explain", "--annotate=^g$=P(None, 'a')", "--annotate=^(gate|up)$=P()"});
  EXPECT_THAT(run.out, HasSubstr("(and 1 like it)"));
  EXPECT_THAT(run.out, Not(HasSubstr("v['up'] ")));
}

// Nothing is sent, and memory is what the edit saves.
TEST(ExplainVerbTest, AnEditOfAnArgumentSavesMemory) {
  constexpr char kState[] = R"(HloModule m
ENTRY e {
  g = f32[64,32] parameter(0)
  v = f32[64,32] parameter(1)
  ROOT a = f32[64,32] multiply(g, v)
}
)";
  const Outcome run = RunOn(
      kState, {"explain", "v:1", "--axis=a", "--annotate=^g$=P(None, 'a')", "--annotate=^v$=P()"});
  EXPECT_THAT(run.out, HasSubstr("add the axis to v: P() -> P(None, 'a')   1 annotation; 0 other "
                                 "tensors change; same bytes sent; arguments 4 KiB smaller\n"));
}

// As `shardings` names them.
TEST(ExplainVerbTest, ArraysOfOneLine) {
  constexpr char kTopK[] =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"a\"=2]>}"}
ENTRY e {
  x = f32[8,32] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}, {}]>"}
  t = (f32[8,4], s32[8,4]) topk(x), k=4, largest=true, metadata={source_file="model.py" source_line=9}
  values = f32[8,4] get-tuple-element(t), index=0, metadata={source_file="model.py" source_line=9}
  places = s32[8,4] get-tuple-element(t), index=1, metadata={source_file="model.py" source_line=9}
  ROOT out = (f32[8,4], s32[8,4]) tuple(values, places)
}
)";
  EXPECT_EQ(RunOn(kTopK, {"explain", "model.py:9"}).err,
            "2 tensors match 'model.py:9'; name one of them, the largest first:\n"
            "  e/t{0}  f32[8,4]  P('a', None)  model.py:9\n"
            "  e/t{1}  s32[8,4]  P('a', None)  model.py:9\n");
  EXPECT_THAT(RunOn(kTopK, {"explain", "e/t{1}"}).out, HasSubstr("t{1}  s32[8,4]"));
}

TEST(ExplainVerbTest, NamesThatFitNothingOrSeveral) {
  EXPECT_THAT(Refused("jit(f)/sinn"), HasSubstr("the nearest names are jit(f)/sin,"));
  EXPECT_THAT(Refused("model.py:40"), HasSubstr("2 tensors match"));
  EXPECT_THAT(Refused("model.py:40"),
              HasSubstr("  e/s  f32[8,32]  P('a', None)  jit(f)/sin  model.py:40\n"));
  EXPECT_THAT(Refused("model.py:88"),
              HasSubstr("no tensor is of model.py:88; the nearest lines with tensors are "
                        "model.py:31, model.py:40, model.py:41\n"));
  EXPECT_THAT(Refused("other.py:41"),
              HasSubstr("no tensor is of the file other.py; the module has tensors of model.py\n"));
  EXPECT_THAT(Refused("nothing like it"), HasSubstr("`tessera shardings` lists all names"));
  EXPECT_THAT(Refused("y{1}"), HasSubstr("has no array {1}"));
  EXPECT_THAT(Refused("y:2"), HasSubstr("rank 2"));
}

// Line 40 made s, which has 'a', and c, after a constraint.
TEST(ExplainVerbTest, OfTheTensorsOfALineTheOneWithoutTheAxis) {
  constexpr char kLine[] =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"a\"=2, \"b\"=2]>}"}

ENTRY e {
  x = f32[16,8] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\", ?}, {?}]>"}
  s = f32[16,8] sine(x), metadata={source_file="model.py" source_line=40}
  m = f32[16,8] negate(s), metadata={source_file="model.py" source_line=41}
  k = f32[16,8] custom-call(m), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {}]>]>"}, metadata={source_file="model.py" source_line=50}
  c = f32[16,8] cosine(k), metadata={source_file="model.py" source_line=40}
  ROOT y = f32[16,8] negate(c), metadata={source_file="model.py" source_line=41}
}
)";
  const auto explain = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "explain");
    return RunOn(kLine, words);
  };
  EXPECT_EQ(explain({"model.py:40", "--axis=a"}).out, explain({"c", "--axis=a"}).out);
  EXPECT_THAT(explain({"c", "--axis=a"}).out, HasSubstr("dim 0 does not have 'a'"));
  // m is beside s, which has it.
  EXPECT_EQ(explain({"model.py:4.", "--axis=a"}).out, explain({"m", "--axis=a"}).out);
  EXPECT_THAT(explain({"model.py:4.", "--axis=b"}).err,
              HasSubstr("4 tensors match 'model.py:4.', 4 of them without 'b'; name one"));
}

TEST(ExplainVerbTest, WhatNamesBeginWith) {
  EXPECT_EQ(Explained({"params['w"}), Explained({"params['w']"}));
}

TEST(ExplainVerbTest, WhatHasNoSharding) {
  constexpr char kDead[] = R"(HloModule m
ENTRY e {
  x = f32[8] parameter(0)
  dead = f32[8] sine(x)
  ROOT y = f32[8] cosine(x)
}
)";
  const Outcome run = RunOn(kDead, {"explain", "dead"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(
      run.err,
      HasSubstr("dead has no sharding (dead_code): nothing that the module returns needs it"));
}

TEST(ExplainVerbTest, TheNextSizeThatDivides) {
  constexpr char kRows[] = R"(HloModule m
ENTRY e {
  x = f32[16] parameter(0)
  ROOT y = f32[15] slice(x), slice={[0:15]}
}
)";
  const Outcome run = RunOn(kRows, {"explain", "result:0", "--axis=a", "--annotate=^x$=P('a')"});
  EXPECT_THAT(run.out, HasSubstr("15 does not divide by 2; 16 would"));
}

// The key heads of a grouped attention, which the axis does not divide. JAX refuses such an argument.
TEST(ExplainVerbTest, AnAxisThatDoesNotDivideAnArgument) {
  constexpr char kHeads[] = R"(HloModule m
ENTRY e {
  k = f32[32,3,128] parameter(0)
  h = f32[32,3,128] sine(k)
  ROOT y = f32[32,3,128] cosine(h)
}
)";
  const Outcome run = RunOn(kHeads, {"explain", "k:1", "--axis=b", "--annotate=^k$=P('a', None)",
                                     "--annotate=^h$=P('a', 'b')"});
  EXPECT_THAT(run.out, HasSubstr("-> P('a', 'b', None): dim 1 has 3 elements, which 2 devices do "
                                 "not divide; dim 0 (32), dim 2 (128) can take 'b'\n"));
}

// Inlining gives both new names; their op_name is the same, their shapes and lines are not.
TEST(ExplainVerbTest, ANameFromBeforeCallsWereInlined) {
  constexpr char kCalled[] = R"(HloModule called, num_partitions=4
f {
  p = f32[8,32] parameter(0)
  in = f32[8,32] sine(p), metadata={op_name="sin" source_file="model.py" source_line=7}
  part = f32[4,32] slice(in), slice={[0:4], [0:32]}
  ROOT out = f32[4,32] sine(part), metadata={op_name="sin" source_file="model.py" source_line=8}
}
ENTRY e {
  x = f32[8,32] parameter(0), metadata={op_name="x"}
  ROOT y = f32[4,32] call(x), to_apply=f
}
)";
  const Outcome run = RunOn(kCalled, {"explain", "out", "--annotate=^x$=P(None, 'a')"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("f32[4,32]  \"sin\"  model.py:8  P(None, 'a')\n"));
}

// kModule with its program in a folder of its own.
// An embedding whose features are sharded takes the axis of the batch; no neighbour of the product
// after it shows that the batch had one.
TEST(ExplainVerbTest, WithoutANameAxesThatWereLostFurtherUp) {
  constexpr char kEmbedding[] = R"(HloModule m

ENTRY e {
  ids = s32[64,1] parameter(0)
  table = f32[32,1024] parameter(1)
  w = f32[1024,4096] parameter(2)
  g = f32[64,1024] gather(table, ids), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,1024}
  d = f32[64,4096] dot(g, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT s = f32[64,4096] sine(d)
}
)";
  const Outcome run =
      RunOn(kEmbedding, {"explain", "--annotate=^ids$=P('a', None)",
                         "--annotate=^table$=P(None, 'a')", "--annotate=^w$=P(None, 'b')"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(" f32[64,4096] is not sharded along 'a' (and 1 like it)\n"));
  EXPECT_THAT(run.out, HasSubstr(":0 --axis=a --mesh=a=2,b=2 --annotate=\"^ids\\$=P('a', None)\""));
}

std::string FolderWithProgram() {
  const std::string folder = ::testing::TempDir() + "/explain_sources";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/model.py") << std::string(30, '\n') << "  init(w)\n"
                                      << std::string(9, '\n') << "  return c @ w\n";
  return folder;
}

TEST(ExplainVerbTest, LinesOfTheProgramBelowTheFolderNamed) {
  const std::string root = "--source-root=" + FolderWithProgram();
  const std::string out = Explained({"y:1", root});
  EXPECT_THAT(out, HasSubstr("  model.py:41  P('a', 'b')\n    | return c @ w\n"));
  EXPECT_THAT(out, HasSubstr("on parameter 1  model.py:31\n    | init(w)\n"));
  EXPECT_THAT(Explained({"y:1", root, "--json"}),
              HasSubstr("{\"file\":\"model.py\",\"line\":41,\"text\":\"return c @ w\"}"));
}

// The file is there, and nobody allowed to open it.
TEST(ExplainVerbTest, WithoutTheFlagNoFileIsOpened) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(FolderWithProgram());
  EXPECT_THAT(Explained({"y:1"}), Not(HasSubstr(" | ")));
  EXPECT_THAT(Explained({"y:1", "--json"}), Not(HasSubstr("c @ w")));
  std::filesystem::current_path(before);
}

// Reading any of these has no end.
TEST(ExplainVerbTest, FilesWithoutAnEndAreNotRead) {
  const std::string pipe = ::testing::TempDir() + "/explain_pipe";
  std::filesystem::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& file : {std::string("/dev/zero"), pipe}) {
    const std::string module =
        "HloModule m\nENTRY e {\n  ROOT x = f32[8] parameter(0), metadata={"
        "source_file=\"" +
        file + "\" source_line=1}\n}\n";
    for (const char* const root : {"--source-root=/", "--annotate=^x$=P('a')"}) {
      const Outcome run = RunOn(module, {"explain", "x", root});
      EXPECT_EQ(run.exit, 0) << run.err;
      EXPECT_THAT(run.out, HasSubstr(file + ":1"));
      EXPECT_THAT(run.out, Not(HasSubstr(" | ")));
    }
  }
}

TEST(ExplainVerbTest, TheFolderMustBeThere) {
  const Outcome run = RunVerb({"explain", "y", "--source-root=/no/such/folder"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_EQ(run.err, "--source-root=/no/such/folder: expected a folder\n");
}

TEST(ExplainVerbTest, FlagsAboutATensorNeedItsName) {
  for (const char* const flag : {"--forward", "--all", "--source-root=."}) {
    const Outcome run = RunVerb({"explain", flag});
    EXPECT_EQ(run.exit, 2) << flag;
    EXPECT_THAT(run.err, HasSubstr("expected its NAME"));
  }
}

TEST(ExplainVerbTest, FiltersChooseFromTheListOfPlaces) {
  EXPECT_EQ(RunVerb({"explain", "--axis=a"}).exit, 0);
  EXPECT_THAT(RunVerb({"explain", "--axis=c"}).err, HasSubstr("the axes are a, b"));
  EXPECT_THAT(RunVerb({"explain", "y", "--top=1"}).err, HasSubstr("expected no NAME"));
  EXPECT_THAT(RunVerb({"explain", "--trace", "--top=1"}).err, HasSubstr("expected no --top"));
}

TEST(LevelsVerbTest, WhatEachLevelChanged) {
  EXPECT_EQ(RunVerb({"explain", "--trace"}).out, R"(annotations: 2 changed, 4 not
  x                P('a', None)    P('a', None) on parameter 0
  params['w']      P(None, 'b')    P(None, 'b') on parameter 1
p0 level 0 (element-wise, transpose, reshape and loop edges of values used once): 2 changed, 4 not
  s                P('a'?, UNCONSTRAINED)    step 0  s, factor i from x
  c                P('a'?, UNCONSTRAINED)    step 1  c, factor i from s
p0 level 1: no change
p0 level 2 (all ops, pass-through factors): 2 changed, 4 not
  y                P('a'?, 'b'?)    step 2  y, factor i from c, factor j from params['w']
  result           P('a'?, 'b'?)    step 3  result, factor i from y, factor j from y
p0 level 3: no change
p0 level 4: no change
)");
}

TEST(LevelsVerbTest, OfOneTensor) {
  constexpr char kOfY[] =
      R"(p0 level 2 (all ops, pass-through factors): 2 changed, 4 not, in the whole module
  y                P('a'?, 'b'?)    step 2  y, factor i from c, factor j from params['w']
)";
  EXPECT_EQ(RunVerb({"explain", "y", "--trace"}).out, kOfY);
  EXPECT_EQ(RunVerb({"explain", "--trace", "--match=^y$"}).out, kOfY);
  EXPECT_THAT(RunVerb({"explain", "z", "--trace"}).err, HasSubstr("no tensor is named 'z'"));
}

// u changes twice: each change has a line of its own, in their order.
TEST(LevelsVerbTest, StepByStep) {
  constexpr char kTwice[] =
      "HloModule m\n\nENTRY e {\n  x = f32[8,32] parameter(0)\n  y = f32[8,32] parameter(1)\n"
      "  s = f32[8,32] sine(x)\n  t = f32[8,32] add(s, y)\n  u = f32[8,32] cosine(y)\n"
      "  ROOT v = f32[8,32] multiply(t, u)\n}\n";
  const std::vector<std::string> flags = {"--annotate=^x$=P('a', None)",
                                          "--annotate=^y$=P(None, 'b')"};
  const auto level_one = [&](std::vector<std::string> words) {
    words.insert(words.end(), flags.begin(), flags.end());
    const std::string out = RunOn(kTwice, words).out;
    return out.substr(out.find("p0 level 1"), out.find("p0 level 2") - out.find("p0 level 1"));
  };
  const std::string at_the_end =
      "  u                P('a'?, 'b'?)    step 3  v, factor i from t\n"
      "  v                P('a'?, 'b'?)    step 3  v, factor i from t, factor j from t\n"
      "  result           P('a'?, 'b'?)    step 4  result, factor i from v, factor j from v\n";
  const std::string before =
      "p0 level 1 (element-wise, transpose and reshape, any number of uses): 5 changed, 2 not\n"
      "  s                P('a'?, 'b'?)    step 1  t, factor j from y\n"
      "  t                P('a'?, 'b'?)    step 1  t, factor i from s, factor j from y\n";
  EXPECT_EQ(level_one({"explain", "--trace"}), before + at_the_end);
  EXPECT_EQ(level_one({"explain", "--trace", "--step"}),
            before + "  u                P(UNCONSTRAINED, 'b'?)    step 2  u, factor j from y\n" +
                at_the_end);
}

TEST(ExplainVerbTest, AFinalModuleHasNothingToExplain) {
  const Outcome run =
      RunOn("HloModule m, is_scheduled=true\nENTRY e {\n  ROOT x = f32[8]{0} parameter(0)\n}\n",
            {"explain"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(
      run.err,
      HasSubstr("the module is final (is_scheduled=true): it is the program of one device"));
}

}  // namespace
}  // namespace tessera::pipeline
