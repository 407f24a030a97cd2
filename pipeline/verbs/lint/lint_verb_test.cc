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

// A step that returns its weight anew; the batch is sharded, the weight is not.
constexpr char kStep[] = R"(HloModule step, num_partitions=8

ENTRY main {
  w = f32[512,512] parameter(0), metadata={op_name="params['w']" source_file="step.py" source_line=3}
  x = f32[64,512] parameter(1), metadata={op_name="x"}
  h = f32[64,512] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/dot" source_file="step.py" source_line=7}
  g = f32[512,512] dot(x, h), lhs_contracting_dims={0}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/grad" source_file="step.py" source_line=8}
  ROOT n = f32[512,512] subtract(w, g), metadata={op_name="jit(f)/sub" source_file="step.py" source_line=9}
}
)";

Outcome Lint(std::vector<std::string> words, const std::string& module = kStep) {
  words.insert(words.begin(),
               {"lint", TestFile("m.hlo", module), "--mesh=data=8", "--annotate=^x$=P('data')"});
  return RunTessera({LintVerb()}, words);
}

TEST(LintVerbTest, ADefaultBudgetWarns) {
  const Outcome run = Lint({});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out, "0 errors, 0 warnings\n");
}

TEST(LintVerbTest, AUsersBudgetFails) {
  const Outcome run = Lint({"--max-replicated=512KiB", "--max-undonated=512KiB"});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("step.py:3: error: [replicated-array] params['w'] f32[512,512] "
                                 "P() is replicated on 8 devices: 1 MiB on each\n"
                                 "    fix: shard the argument; `tessera explain "));
  EXPECT_THAT(run.out,
              HasSubstr("step.py:3: error: [missed-donation] argument 0, params['w'] f32[512,512] "
                        "P() is not donated, and a result has its shape and sharding: 1 MiB "
                        "twice\n"));
}

TEST(LintVerbTest, WhatIsDonatedIsNotMissed) {
  std::string donated = kStep;
  donated.replace(donated.find(", num"), 0, ", input_output_alias={ {}: (0, {}, may-alias) }");
  EXPECT_THAT(Lint({"--max-undonated=512KiB"}, donated).out, HasSubstr("0 errors"));
}

// Arrays in a shard_map over all axes are other ones on each device.
TEST(LintVerbTest, WhatIsManualIsNotReplicated) {
  constexpr char kManual[] =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["data"=8]>}}

xla.sdy.manual_computation_body.1 {
  p = f32[64,512] parameter(0)
  ROOT s = f32[64,512] sine(p)
}

ENTRY main {
  x = f32[512,512] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}]>"}
  l = f32[64,512] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"data\"}, {}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"data\"}>"}
  c = f32[64,512] call(l), to_apply=xla.sdy.manual_computation_body.1, frontend_attributes={inlineable="xla_late"}
  ROOT g = f32[512,512] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"data\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"data\"}, {}]>]>"}
}
)";
  const Outcome run =
      RunTessera({LintVerb()}, {"lint", TestFile("manual.hlo", kManual), "--max-replicated=1KiB"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("0 errors, 0 warnings"));
}

// The batch is donated; its result is sharded otherwise, so that no device can write it there.
TEST(LintVerbTest, ADonatedArgumentOfAnotherShardingIsLost) {
  constexpr char kScaled[] = R"(HloModule m, num_partitions=8, buffer_donor={ (0, {}) }

ENTRY main {
  v = f32[512,512] parameter(0), metadata={op_name="v"}
  ROOT n = f32[512,512] sine(v)
}
)";
  const std::string file = TestFile("m.hlo", kScaled);
  const std::vector<std::string> words = {"lint",
                                          file,
                                          "--mesh=data=8",
                                          "--max-undonated=512KiB",
                                          "--annotate=^v$=P()",
                                          "--annotate=^n$=P('data')"};
  EXPECT_THAT(RunTessera({LintVerb()}, words).out,
              HasSubstr("[missed-donation] v f32[512,512] P() is donated, but no result takes its "
                        "memory; result of this shape is P('data', None): 1 MiB on each device\n"));
}

// A cache that is sharded by position, of which the loop of a decoder makes one by head.
TEST(LintVerbTest, ADonatedArgumentThatComesBackInAnotherSharding) {
  constexpr char kDecoder[] = R"(HloModule m, num_partitions=8, buffer_donor={ (0, {}) }

ENTRY main {
  k = f32[512,512] parameter(0), metadata={op_name="cache['k']"}
  new = f32[512,512] parameter(1)
  n = f32[512,512] add(k, new)
  s = s32[] constant(1)
  ROOT t = (s32[], f32[512,512]) tuple(s, n)
}
)";
  const std::vector<std::string> words = {"lint",
                                          TestFile("m.hlo", kDecoder),
                                          "--mesh=model=8",
                                          "--max-undonated=64KiB",
                                          "--annotate=^k$=P('model', None)",
                                          "--annotate=^n$=P(None, 'model')"};
  EXPECT_THAT(
      RunTessera({LintVerb()}, words).out,
      HasSubstr("[missed-donation] cache['k'] f32[512,512] P('model', None) is donated, but "
                "comes back in another sharding; result{1} takes the memory as P(None, "
                "'model'): 128 KiB on each device\n"));
}

TEST(LintVerbTest, BudgetsOfCollectivesAndMemory) {
  const Outcome sent = Lint({"--max-sent=1kB", "--max-collective=1kB", "--memory-limit=1MB"});
  EXPECT_EQ(sent.exit, 1);
  EXPECT_THAT(sent.out, HasSubstr("step.py:8: error: [large-collective] all-reduce f32[512,512] "
                                  "over data: each device sends 1.75 MiB\n"));
  EXPECT_THAT(sent.out, HasSubstr("[sent-bytes] 1 collective, each device sends 1.75 MiB"));
  EXPECT_THAT(sent.out, HasSubstr("[memory-limit] the program needs "));
}

// A GPU's compiler combines both sums.
TEST(LintVerbTest, WithATargetItsCollectivesCount) {
  const std::string file =
      TestFile("two.hlo",
               "HloModule m, num_partitions=8\n"
               "ENTRY main {\n"
               "  x = f32[64,512] parameter(0)\n"
               "  y = f32[64,256] parameter(1)\n"
               "  g = f32[512,512] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
               "metadata={op_name=\"g\" source_file=\"step.py\" source_line=8}\n"
               "  h = f32[256,256] dot(y, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
               "metadata={op_name=\"h\" source_file=\"step.py\" source_line=9}\n"
               "  ROOT t = (f32[512,512], f32[256,256]) tuple(g, h)\n"
               "}\n");
  std::vector<std::string> words = {"lint", file, "--mesh=data=8", "--annotate=^[xy]$=P('data')",
                                    "--max-sent=1kB"};
  EXPECT_THAT(RunTessera({LintVerb()}, words).out, HasSubstr("[sent-bytes] 2 collectives"));
  words.push_back("--target=h100:8");
  const Outcome run = RunTessera({LintVerb()}, words);
  EXPECT_THAT(run.out, HasSubstr("step.py:8: error: [sent-bytes] 1 collective, each device sends "))
      << run.err;
}

TEST(LintVerbTest, TheFixOfAGatherHasTheTarget) {
  const std::string gathered =
      Lint({"--annotate=^w$=P('data')", "--max-collective=1kB", "--target=tpu-v5e:2x4"}).out;
  EXPECT_THAT(gathered, ::testing::ContainsRegex("`tessera explain [^ ]*m.hlo --target=tpu-v5e:2x4 "
                                                 "all-gather.1 --axis=data` says "));
  EXPECT_THAT(gathered, ::testing::ContainsRegex(
                            "`tessera suggest [^ ]*m.hlo --target=tpu-v5e:2x4` searches"));
}

// h has the axis from x: w is what is gathered for it.
TEST(LintVerbTest, TheFixAsksAboutWhatLacksTheAxis) {
  EXPECT_THAT(Lint({"--annotate=^w$=P('data')", "--max-collective=1kB"}).out,
              ::testing::ContainsRegex("`tessera explain [^ ]*m.hlo w --axis=data` says "));
}

TEST(LintVerbTest, ATargetOfAnotherSizeIsAnError) {
  const Outcome run = Lint({"--target=h100:4", "--max-sent=1kB"});
  EXPECT_EQ(run.exit, 2) << run.out;
  EXPECT_THAT(run.err, HasSubstr("--target=h100:1x1x4 has 4 devices, the module runs on 8"));
}

TEST(LintVerbTest, StrictFailsOnAWarning) {
  EXPECT_EQ(Lint({"--strict"}).exit, 0);
  EXPECT_EQ(Lint({"--max-replicated=512KiB", "--ignore=replicated-array"}).exit, 0);
  EXPECT_THAT(Lint({"--max-replicated=512KiB", "--ignore=replicated-array:params"}).out,
              Not(HasSubstr("params['w']")));
}

TEST(LintVerbTest, FormsAndMistakes) {
  EXPECT_THAT(Lint({"--format=sarif", "--max-replicated=1kB"}).out,
              HasSubstr("\"version\":\"2.1.0\""));
  EXPECT_THAT(Lint({"--json"}).out, HasSubstr("\"findings\":[]"));
  EXPECT_THAT(Lint({"--format=xml"}).err, HasSubstr("expected text, json, sarif or github"));
  EXPECT_THAT(Lint({"--max-padding=0.5"}).err, HasSubstr("expected a factor of 1 or more"));
  EXPECT_THAT(Lint({"--target=abacus"}).err, HasSubstr("no chip is named 'abacus'"));
  EXPECT_THAT(Lint({},
                   "HloModule m, is_scheduled=true, num_partitions=2\n\nENTRY main {\n  ROOT x = "
                   "f32[8] parameter(0)\n}\n")
                  .err,
              HasSubstr("this is the module of one device"));
}

}  // namespace
}  // namespace tessera::pipeline
