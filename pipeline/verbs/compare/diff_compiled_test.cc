// `tessera diff STEP COMPILED --target`.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/schema/compiled_comparison_answer.pb.h"
#include "tessera/pipeline/verbs/compare/step_measures.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A sum over eight devices.
constexpr char kStep[] =
    "HloModule m, num_partitions=8\n"
    "ENTRY main {\n"
    "  x = f32[16,64] parameter(0), sharding={devices=[1,8]<=[8]}, metadata={op_name=\"x\"}\n"
    "  w = f32[64,32] parameter(1), sharding={devices=[8,1]<=[8]}, metadata={op_name=\"w\"}\n"
    "  ROOT y = f32[16,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={replicated}, metadata={op_name=\"dot\" source_file=\"m.py\" source_line=7}\n"
    "}\n";

constexpr char kCompiled[] =
    "HloModule m, is_scheduled=true, num_partitions=8\n"
    "sum {\n"
    "  a = f32[] parameter(0)\n"
    "  b = f32[] parameter(1)\n"
    "  ROOT s = f32[] add(a, b)\n"
    "}\n"
    "ENTRY main_spmd {\n"
    "  p = f32[16,8]{1,0} parameter(0), metadata={op_name=\"x\"}\n"
    "  q = f32[8,32]{1,0} parameter(1), metadata={op_name=\"w\"}\n"
    "  d = f32[16,32]{1,0} dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "backend_config={\"operation_queue_id\":\"0\"}\n"
    "  ROOT r = f32[16,32]{1,0} all-reduce(d), to_apply=sum, channel_id=1, "
    "replica_groups={{0,1,2,3,4,5,6,7}}, metadata={op_name=\"dot\"}, "
    "backend_config={\"operation_queue_id\":\"0\"}\n"
    "}\n";

Outcome Compare(const std::string& compiled, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"diff", TestFile("step.hlo", kStep),
                                    TestFile("compiled.hlo", compiled), "--target=h100:8"};
  words.insert(words.end(), more.begin(), more.end());
  return RunTessera({DiffVerb()}, words);
}

// Bytes are those of the target's links, as of `collectives --target`: the switch of an H100 adds.
TEST(DiffCompiledTest, Agrees) {
  const Outcome run = Compare(kCompiled);
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("\nnote: times follow XLA's model of GPUs, and no device"));
  EXPECT_THAT(
      run.out,
      StartsWith("collectives, and shapes of arguments and results, for h100:1x1x8 agree with the "
                 "compiled program\n"
                 "\n"
                 "a device sends       predicted               compiled             \n"
                 "all-reduce                   1        2 KiB         1        2 KiB\n"
                 "in all                       1        2 KiB         1        2 KiB\n"
                 "\n"
                 "a device holds          predicted     compiled counted in the module\n"
                 "arguments                 1.5 KiB      1.5 KiB\n"
                 "results                     2 KiB        2 KiB\n"
                 "results in arguments          0 B          0 B\n"
                 "beside arguments            2 KiB        2 KiB\n"
                 "peak                      3.5 KiB      3.5 KiB\n"
                 "\n"
                 "a step takes            predicted     compiled by the same model\n"
                 "all kernels"));
  EXPECT_THAT(run.out, HasSubstr("\n"
                                 "collectives: 1 agree\n"
                                 "arguments: 2 as predicted\n"
                                 "results: 1 as predicted\n"
                                 "\n"
                                 "the collectives that agree, as the compiled program has them\n"
                                 "     2 KiB x1    all-reduce f32[16,32] over [1,8]<=[8]: r of d, "
                                 "synchronous, dot\n"));
}

// The compiler sums as reduce-scatter, and the result stays in parts.
TEST(DiffCompiledTest, AnotherOperation) {
  const std::string other = absl::StrReplaceAll(
      kCompiled, {{"ROOT r = f32[16,32]{1,0} all-reduce(d), ",
                   "ROOT r = f32[2,32]{1,0} reduce-scatter(d), dimensions={0}, "}});
  const Outcome run = Compare(other);
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_THAT(
      run.out,
      StartsWith("collectives, and shapes of results, for h100:1x1x8 differ from the compiled "
                 "program\nmemory and time are estimates: results +700.0 %"));
  EXPECT_THAT(run.out, HasSubstr("collectives: 0 agree, 1 differ\n"));
  EXPECT_THAT(run.out, HasSubstr("results: 0 as predicted, 1 not\n"
                                 "  result 0: predicted f32[16,32], compiled f32[2,32]\n"));
  EXPECT_THAT(run.out, HasSubstr("from the same place; other op, bytes\n"
                                 "  predicted      2 KiB x1    all-reduce f32[16,32]"));

  answers::CompiledComparisonAnswer answer;
  const auto status =
      google::protobuf::util::JsonStringToMessage(Compare(other, {"--json"}).out, &answer);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_FALSE(answer.equal());
  EXPECT_EQ(answer.matches(0).verdict(), "differs");
  EXPECT_EQ(answer.matches(0).compiled(0).op(), "reduce-scatter");
  EXPECT_EQ(answer.total().predicted_sent(), 2048);
  EXPECT_EQ(answer.results().differ(0).compiled(), "f32[2,32]");
}

// The compiler of a TPU states what its kernels take. The arguments lie otherwise than predicted.
TEST(DiffCompiledTest, MemoryAndTimeBesideTheCompilers) {
  const std::string tiled = absl::StrReplaceAll(
      kCompiled,
      {{"{1,0}", "{1,0:T(8,128)}"},
       {"\"operation_queue_id\":\"0\"}\n  ROOT", "\"estimated_cycles\":\"3000\"}\n  ROOT"}});
  const Outcome run =
      RunTessera({DiffVerb()}, {"diff", TestFile("step.hlo", kStep),
                                TestFile("compiled.hlo", tiled), "--target=tpu-v5e:2x4", "--json"});
  answers::CompiledComparisonAnswer answer;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(run.out, &answer).ok()) << run.out;
  EXPECT_TRUE(answer.equal());  // memory and time do not decide that
  ASSERT_EQ(answer.measures_size(), 7);
  EXPECT_EQ(answer.measures(0).name(), "arguments");
  EXPECT_EQ(answer.measures(0).predicted(), 8192);
  EXPECT_EQ(answer.measures(0).compiled(), 12288);
  EXPECT_EQ(answer.measures(4).name(), "peak");
  EXPECT_EQ(answer.measures(4).compiled_by(), "module");
  EXPECT_EQ(answer.measures(5).name(), "kernels");
  EXPECT_EQ(answer.measures(5).compiled(), 3000 / 1.5e9);
  EXPECT_EQ(answer.measures(5).compiled_by(), "compiler");
}

// No percent says that one side has nothing.
// A second on both sides, at the peak of the chip.
TEST(DiffCompiledTest, ACustomCallHasTheCostThatTheUserSays) {
  const std::string step =
      "HloModule m, num_partitions=8\n"
      "ENTRY main {\n"
      "  x = f32[16] parameter(0)\n"
      "  ROOT y = f32[16] custom-call(x), custom_call_target=\"fast\"\n"
      "}\n";
  const std::string compiled = absl::StrReplaceAll(step, {{"m, num", "m, is_scheduled=true, num"}});
  const Outcome run =
      RunTessera({DiffVerb()},
                 {"diff", TestFile("call.hlo", step), TestFile("compiled_call.hlo", compiled),
                  "--target=tpu-v5e:2x4", "--kernel-cost=fast=197e12,1", "--kernel-cost=no=1,1"});
  EXPECT_THAT(run.out, ::testing::ContainsRegex("all kernels +1 s +1 s\n"));
  EXPECT_THAT(run.err, HasSubstr("--kernel-cost=no=..: no custom call"));
}

TEST(DiffCompiledTest, ADonationOfOneSideAlone) {
  const std::string donated = absl::StrReplaceAll(
      kCompiled,
      {{"is_scheduled=true", "is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }"},
       {"  ROOT r = f32[16,32]{1,0} all-reduce(d)", "  r = f32[16,32]{1,0} all-reduce(d)"},
       {"backend_config={\"operation_queue_id\":\"0\"}\n}",
        "backend_config={\"operation_queue_id\":\"0\"}\n  ROOT z = f32[16,8]{1,0} "
        "slice(r), slice={[0:16],[0:8]}\n}"}});
  EXPECT_THAT(Compare(donated).out,
              HasSubstr("        512 B -100.0 % differ: no donation was predicted\n"));
}

TEST(DiffCompiledTest, AModuleFromInsideOfTheCompiler) {
  const Outcome run = Compare(absl::StrReplaceAll(
      kCompiled,
      {{" is_scheduled=true,", ""},
       {"  d = f32[16,32]{1,0} dot(p, q)",
        "  c = f32[16,8]{1,0} fusion(p), kind=kLoop, calls=f\n  d = f32[16,32]{1,0} dot(p, q)"},
       {"ENTRY",
        "f {\n  a = f32[16,8]{1,0} parameter(0)\n  ROOT n = f32[16,8]{1,0} negate(a)\n}\nENTRY"}}));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.err,
              HasSubstr("note: the module has no schedule (is_scheduled=true), but fusion 'c'"));
  EXPECT_THAT(run.out, Not(HasSubstr("synchronous")));
}

TEST(DiffCompiledTest, TheCompilersReportTakesThePlaceOfWhatIsCounted) {
  StepMeasures compiled;
  compiled.peak = 1;
  compiled.memory_by = "module";
  TakeReport("argument_size 5\noutput_size -1\n", &compiled);
  EXPECT_EQ(compiled.memory_by, "module");  // no peak
  TakeReport("argument_size 5\noutput_size -1\npeak_memory 12\n", &compiled);
  EXPECT_EQ(compiled.peak, 12);
  EXPECT_EQ(compiled.arguments, 5);
  EXPECT_FALSE(compiled.results.has_value());
  EXPECT_EQ(compiled.memory_by, "compiler");
}

TEST(DiffCompiledTest, Mistakes) {
  Outcome run = Compare(absl::StrReplaceAll(kCompiled, {{"num_partitions=8", "num_partitions=4"}}));
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("has 8 devices, the compiled module runs on 4"));
  run = Compare(kCompiled, {"--b-mesh=x=8"});
  EXPECT_EQ(run.exit, 2);
}

// A compiled module cut off, of another program, or with a second one after it.
TEST(DiffCompiledTest, OtherModules) {
  const Outcome cut = Compare(std::string(kCompiled).substr(0, std::string(kCompiled).size() - 20));
  EXPECT_EQ(cut.exit, 2);
  EXPECT_THAT(cut.err, HasSubstr("compiled.hlo:11:"));
  const Outcome other =
      Compare(absl::StrReplaceAll(kCompiled, {{"HloModule m", "HloModule jit_other"},
                                              {"f32[16,8]", "f32[24,8]"},
                                              {"f32[8,32]", "f32[8,40]"},
                                              {"f32[16,32]", "f32[24,40]"}}));
  EXPECT_EQ(other.exit, 1);
  EXPECT_THAT(other.err, HasSubstr("note: 0 of 2 arguments are as predicted; the compiled module, "
                                   "jit_other, may be of another program\n"));
  const Outcome two = Compare(absl::StrCat(kCompiled, "\n", kCompiled));
  EXPECT_EQ(two.exit, 0) << two.err;
  EXPECT_THAT(two.err, HasSubstr("compiled.hlo has 2 modules; showing the first, m; --module=2"));
  EXPECT_THAT(Compare(kCompiled).err, Not(HasSubstr("of another program")));
}

}  // namespace
}  // namespace tessera::pipeline
