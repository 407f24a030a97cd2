// `tessera collectives --target`.

#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// After the partitioner: a sum over four of eight devices.
constexpr char kPartitioned[] =
    "HloModule m, num_partitions=8\n"
    "\n"
    "sum {\n"
    "  a = f32[] parameter(0)\n"
    "  b = f32[] parameter(1)\n"
    "  ROOT s = f32[] add(a, b)\n"
    "}\n"
    "\n"
    "ENTRY main.9_spmd {\n"
    "  x = f32[16,32] parameter(0)\n"
    "  r = f32[16,32] all-reduce(x), to_apply=sum, channel_id=1, replica_groups=[2,4]<=[8], "
    "metadata={op_name=\"dot\" source_file=\"m.py\" source_line=7}\n"
    "  ROOT n = f32[16,32] negate(r)\n"
    "}\n";

constexpr char kLowered[] =
    "HloModule m, num_partitions=8\n"
    "ENTRY e {\n"
    "  x = f32[16,32] parameter(0), sharding={devices=[8,1]<=[8]}\n"
    "  ROOT n = f32[16,32] negate(x)\n"
    "}\n";

Outcome RunOn(const std::string& module, std::vector<std::string> words) {
  words.insert(words.begin(), {"collectives", TestFile("m.hlo", module)});
  return RunTessera({CollectivesVerb()}, words);
}

TEST(TargetCollectivesTest, WhatRunsAndWhatItWasMadeFrom) {
  const Outcome run = RunOn(kPartitioned, {"--target=h100:8"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out,
            "1 collective, each device sends 2 KiB\n"
            "     2 KiB x1    all-reduce f32[16,32] over [2,4]<=[8]: r, asynchronous by model, dot "
            " # m.py:7\n");
  EXPECT_THAT(RunOn(kPartitioned, {"--target=h100:8", "--mesh=data=2,model=4"}).out,
              HasSubstr("over model: r"));
  EXPECT_THAT(RunOn(kPartitioned, {"--target=h100:8", "--stage=partitioned", "--by=op"}).out,
              HasSubstr("1  all-reduce"));
}

TEST(TargetCollectivesTest, MatchReadsTheNamesThatTheListPrints) {
  EXPECT_THAT(RunOn(kPartitioned, {"--target=h100:8", "--match=^r$"}).out,
              HasSubstr("1 collective, each device sends 2 KiB"));
  EXPECT_THAT(RunOn(kPartitioned, {"--target=h100:8", "--match=^q$"}).err,
              HasSubstr("none of 1 collectives passes --match=^q$"));
}

TEST(TargetCollectivesTest, JsonHasThePartsOfEach) {
  EXPECT_THAT(
      RunOn(kPartitioned, {"--target=h100:8", "--json"}).out,
      HasSubstr(R"("parts":[{"shape":"f32[16,32]","sources":["r"],"locations":["m.py:7"]}])"));
}

// Two sums that become one: each array with what it comes from.
TEST(TargetCollectivesTest, ACombinedOneShowsItsParts) {
  const std::string both = absl::StrReplaceAll(
      kPartitioned, {{"  ROOT n = f32[16,32] negate(r)\n",
                      "  s = f32[8] constant({1,2,3,4,5,6,7,8})\n"
                      "  q = f32[8] all-reduce(s), to_apply=sum, channel_id=2, "
                      "replica_groups={{0,1,2,3},{4,5,6,7}}, metadata={source_file=\"m.py\" "
                      "source_line=9}\n"
                      "  ROOT t = (f32[16,32], f32[8]) tuple(r, q)\n"}});
  EXPECT_EQ(RunOn(both, {"--target=h100:8"}).out,
            "1 collective, each device sends 2.03 KiB\n"
            "  2.03 KiB x1    all-reduce f32[520] over [2,4]<=[8]: 2 arrays by "
            "gpu-all-reduce-combiner, synchronous by model\n"
            "                 f32[16,32]: r  # m.py:7\n"
            "                 f32[8]: q  # m.py:9\n");
  EXPECT_EQ(RunOn(both, {"--target=h100:8", "--by=line"}).out,
            "1 collective, each device sends 2.03 KiB\n"
            "     2 KiB      1  m.py:7\n"
            "      32 B      1  m.py:9\n");
  EXPECT_THAT(RunOn(both, {"--target=h100:8", "--json"}).out,
              HasSubstr(R"({"shape":"f32[8]","sources":["q"],"locations":["m.py:9"]}],)"
                        R"("made_by":"gpu-all-reduce-combiner")"));
  EXPECT_THAT(RunOn(both, {"--target=h100:8",
                           "--xla-flags="
                           "--xla_gpu_all_reduce_combine_threshold_bytes=0"})
                  .out,
              HasSubstr("2 collectives"));
}

// XLA's own kernel runs a small sum of one array, and is never synchronous. An A100 has no such kernel.
TEST(TargetCollectivesTest, JsonPredictsWhatIsSynchronous) {
  EXPECT_THAT(RunOn(kPartitioned, {"--target=h100:8", "--json"}).out,
              HasSubstr(R"("synchronous":false,"form":"asynchronous by model")"));
  EXPECT_THAT(RunOn(kPartitioned, {"--target=a100:8", "--json"}).out,
              HasSubstr(R"("synchronous":true,"form":"synchronous by model")"));
}

// In front of the partitioner: weights that are cut along what is contracted.
constexpr char kProduct[] =
    "HloModule m, num_partitions=8\n"
    "ENTRY main {\n"
    "  x = f32[16,64] parameter(0), sharding={devices=[1,8]<=[8]}\n"
    "  w = f32[64,32] parameter(1), sharding={devices=[8,1]<=[8]}\n"
    "  ROOT y = f32[16,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={devices=[8,1]<=[8]}\n"
    "}\n";

// A TPU leaves a sum whose parts are not whole tiles, and says how often its rules are right.
TEST(TargetCollectivesTest, TpusByInferredRules) {
  const Outcome run = RunOn(kProduct, {"--target=tpu-v5e:2x4"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("all-reduce f32[16,32] over [1,8]<=[8]"));
  EXPECT_THAT(run.err, HasSubstr("note: predicted by rules inferred from what libtpu compiled: "
                                 "from a lowered module, "));
  EXPECT_THAT(RunOn(kPartitioned, {"--target=tpu-v5e:2x4"}).err,
              AllOf(HasSubstr("from a partitioned module, "),
                    HasSubstr("note: FILE counts as the partition of a TPU's compiler, ")));
  EXPECT_THAT(RunOn(kProduct, {"--target=h100:8"}).err, Not(HasSubstr("rules")));
}

// Gathers have no line of their own where the moved value has none: a copy leads to the product.
TEST(TargetCollectivesTest, AGatherNamesItsReader) {
  constexpr char kGathered[] =
      "HloModule m, num_partitions=8\n"
      "ENTRY main.9_spmd {\n"
      "  x = f32[2,32] parameter(0)\n"
      "  w = f32[32,32] parameter(1)\n"
      "  g = f32[16,32] all-gather(x), dimensions={0}, channel_id=1, replica_groups=[1,8]<=[8]\n"
      "  c = f32[16,32] copy(g)\n"
      "  ROOT d = f32[16,32] dot(c, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "metadata={op_name=\"dot\" source_file=\"m.py\" source_line=7}\n"
      "}\n";
  EXPECT_THAT(RunOn(kGathered, {"--target=h100:8"}).out,
              HasSubstr(": g for d, synchronous by model, dot  # m.py:7\n"));
  EXPECT_THAT(RunOn(kGathered, {"--target=h100:8", "--by=line"}).out, HasSubstr("m.py:7\n"));
  EXPECT_THAT(RunOn(kGathered, {"--target=h100:8", "--match=m.py:7"}).out,
              HasSubstr("1 collective,"));
  EXPECT_THAT(RunOn(kGathered, {"--target=h100:8", "--json"}).out, HasSubstr(R"("consumer":"d")"));
}

// The transpose goes into the dot, which keeps its name.
TEST(TargetCollectivesTest, ASimplifiedInstructionKeepsItsName) {
  constexpr char kTransposed[] =
      "HloModule m, num_partitions=8\n"
      "ENTRY e {\n"
      "  x = f32[16,32] parameter(0)\n"
      "  w = f32[32,32] parameter(1)\n"
      "  t = f32[32,32] transpose(w), dimensions={1,0}\n"
      "  layer.51 = f32[16,32] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "metadata={op_name=\"layer\" source_file=\"m.py\" source_line=7}\n"
      "  ROOT n = f32[16,32] negate(layer.51)\n"
      "}\n";
  EXPECT_THAT(RunOn(kTransposed, {"--target=tpu-v5e:2x4", "--stop-after=all-reduce-combiner",
                                  "--mesh=a=8", "--annotate=^x$=P('a')"})
                  .out,
              HasSubstr("%layer.51 = f32[2,32] dot(%x, %w)"));
}

// The partitioner of TPUs sums once over both axes; what it has left in two steps stays.
TEST(TargetCollectivesTest, TpusSumOnceOverTwoAxesWhereThePartitionerIsOurs) {
  const std::string lowered =
      "HloModule m, num_partitions=8\n"
      "ENTRY main {\n"
      "  x = f32[16,64,64] parameter(0), sharding={devices=[2,1,4]<=[8]}\n"
      "  w = f32[16,64,32] parameter(1), sharding={devices=[2,4,1]<=[8]}\n"
      "  ROOT y = f32[64,32] dot(x, w), lhs_contracting_dims={0,2}, rhs_contracting_dims={0,1}, "
      "sharding={replicated}\n"
      "}\n";
  const Outcome run = RunOn(lowered, {"--target=tpu-v5e:2x4"});
  EXPECT_THAT(run.out, HasSubstr("1 collective, ")) << run.err;
  const std::string twice = absl::StrReplaceAll(
      kPartitioned, {{"  ROOT n = f32[16,32] negate(r)\n",
                      "  ROOT s = f32[16,32] all-reduce(r), to_apply=sum, channel_id=2, "
                      "replica_groups=[4,2]<=[2,4]T(1,0)\n"}});
  EXPECT_THAT(RunOn(twice, {"--target=tpu-v5e:2x4"}).out, HasSubstr("2 collectives, "));
}

// A product long enough to hide the exchange of its weights: three permutes of a quarter.
constexpr char kLongProduct[] =
    "HloModule m, num_partitions=4\n"
    "ENTRY main {\n"
    "  x = bf16[8192,256] parameter(0), sharding={devices=[4,1]<=[4]}\n"
    "  w = bf16[256,512] parameter(1), sharding={devices=[4,1]<=[4]}\n"
    "  ROOT y = bf16[8192,512] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={devices=[4,1]<=[4]}\n"
    "}\n";

TEST(TargetCollectivesTest, TpusExchangeWeightsInWindows) {
  const Outcome run = RunOn(kLongProduct, {"--target=tpu-v5e:1x4", "--by=op"});
  EXPECT_THAT(run.out, HasSubstr("3  collective-permute")) << run.err;
  EXPECT_THAT(RunOn(kLongProduct, {"--target=h100:4", "--by=op"}).out, HasSubstr("1  all-gather"));
  const auto with = [](const std::string& flag) {
    return RunOn(kLongProduct, {"--target=tpu-v5e:1x4", "--by=op", "--xla-flags=--" + flag}).out;
  };
  EXPECT_THAT(with("xla_tpu_enable_windowed_einsum_for_all_gather=false"),
              HasSubstr("1  all-gather"));
  EXPECT_THAT(with("xla_jf_spmd_threshold_for_windowed_einsum_mib=1"), HasSubstr("1  all-gather"));
  EXPECT_THAT(with("xla_tpu_spmd_bidirectional_windowed_einsum=false"),
              HasSubstr("1  collective-permute"));
}

TEST(PartitionVerbTest, AsTheTargetPartitions) {
  const auto partition = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"partition", TestFile("long.hlo", kLongProduct)});
    return RunTessera({PartitionVerb()}, words);
  };
  const Outcome run = partition({"--target=tpu-v5e:1x4"});
  EXPECT_THAT(run.out, HasSubstr("windowed_dot_general_body_ag")) << run.err;
  EXPECT_EQ(run.out, partition({"--target=tpu-v5e:1x4", "--stage=partitioned"}).out);
  EXPECT_THAT(partition({"--target=tpu-v5e:1x4", "--stage=final"}).out, Not(HasSubstr("while(")));
  EXPECT_THAT(partition({}).out, HasSubstr("all-gather("));
  const std::string made =
      TestFile("made.hlo", partition({"--target=tpu-v5e:1x4", "--stage=final"}).out);
  const Outcome again =
      RunTessera({CollectivesVerb()}, {"collectives", made, "--target=tpu-v5e:1x4"});
  EXPECT_EQ(again.exit, 0);
  EXPECT_THAT(again.err, HasSubstr("note: the module has gone through the passes of tpu-v5e:1x4 "
                                   "already (`partition --stage=final`)"));
  EXPECT_THAT(partition({"--stage=final"}).err, HasSubstr("needs the --target of a GPU or TPU"));
}

// A module that is not partitioned is propagated and partitioned first.
TEST(TargetCollectivesTest, FromTheUsersModule) {
  const Outcome run = RunOn(kProduct, {"--target=h100:8"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("reduce-scatter f32[2,32] over [1,8]<=[8]: all-reduce"));
  EXPECT_THAT(run.out, HasSubstr("by reduce-scatter-creator, synchronous by model"));
  EXPECT_THAT(RunOn(kProduct, {"--target=h100:8", "--json"}).out,
              HasSubstr("\"synchronous\":true,\"form\":\"synchronous by model\""));
  EXPECT_THAT(run.err, HasSubstr("the shardings look final"));
  EXPECT_THAT(RunOn(kProduct, {"--target=h100:8", "--stage=partitioned"}).out,
              HasSubstr("all-reduce f32[16,32]"));
  EXPECT_THAT(RunOn(kProduct, {"--target=h100:8", "--stop-after=cse"}).out,
              HasSubstr("ENTRY %main_spmd"));
  EXPECT_THAT(RunOn(kProduct, {"--target=h100:8", "--import=hlo"}).out,
              HasSubstr("reduce-scatter f32[2,32] over _axis_0"));
}

// A dot with a dimension of size 1, of which Shardy on the target sees nothing, and one that a
// compiler has given a sharding.
TEST(TargetCollectivesTest, SimplifiedInFrontOfShardy) {
  const std::string ones =
      "HloModule m, num_partitions=8\n"
      "ENTRY main {\n"
      "  x = f32[16,1,64] parameter(0), sharding={devices=[1,1,8]<=[8]}\n"
      "  w = f32[64,32] parameter(1), sharding={devices=[8,1]<=[8]}\n"
      "  ROOT y = f32[16,1,32] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}\n"
      "}\n";
  const std::vector<std::string> before = {"--stage=partitioned", "--import=hlo"};
  EXPECT_THAT(RunOn(ones, {"--target=h100:8", before[0], before[1]}).out,
              HasSubstr("all-reduce f32[16,32] over"));
  // On TPUs the reshape back stands in front of the sum.
  EXPECT_THAT(RunOn(ones, {"--target=tpu-v5e:2x4", before[0], before[1]}).out,
              HasSubstr("all-reduce f32[16,1,32] over"));
  EXPECT_THAT(RunOn(ones, {before[1]}).out, HasSubstr("all-reduce f32[16,1,32] over"));
  EXPECT_THAT(RunOn(ones, {"--target=cpu", before[1]}).out,
              HasSubstr("all-reduce f32[16,1,32] over"));
}

// The target cleans the module first; the place is one of the user's text.
TEST(TargetCollectivesTest, AnErrorStandsInTheGivenText) {
  const std::string called =
      "HloModule m, num_partitions=8\n"
      "f {\n"
      "  p = f32[16] parameter(0)\n"
      "  ROOT decided.3 = f32[16] custom-call(p), custom_call_target=\"CustomSPMDPartitioning\"\n"
      "}\n"
      "ENTRY main {\n"
      "  x = f32[16] parameter(0), sharding={devices=[8]<=[8]}\n"
      "  a = f32[16] call(x), to_apply=f\n"
      "  ROOT b = f32[16] call(a), to_apply=f\n"
      "}\n";
  for (const std::string target : {"--target=cpu", "--target=h100:8", "--target=tpu-v5e:2x4"}) {
    EXPECT_THAT(RunOn(called, {target, "--import=hlo"}).err,
                HasSubstr(".hlo:4:3: error: custom_partitioning is decided by a callback"));
  }
}

TEST(TargetCollectivesTest, TheProgramItself) {
  const Outcome dumped = RunOn(
      kPartitioned, {"--target=h100:8", "--dump-after=all:" + ::testing::TempDir() + "/of_target"});
  EXPECT_EQ(dumped.exit, 0) << dumped.err;
}

TEST(TargetCollectivesTest, WhatDoesNotFitIsAnError) {
  const auto error = [](const std::string& module, std::vector<std::string> words) {
    const Outcome run = RunOn(module, std::move(words));
    EXPECT_EQ(run.exit, 2) << run.out;
    return run.err;
  };
  EXPECT_THAT(error(kPartitioned, {"--target=h100:1x2x8"}),
              HasSubstr("--target=h100:1x2x8 has 16 devices, the module runs on 8"));
  EXPECT_THAT(error(kLowered, {"--target=h100:4"}),
              HasSubstr("--target=h100:1x1x4 has 4 devices, the module runs on 8"));
  EXPECT_THAT(error(kLowered, {"--target=h100:8", "--mesh=x=3"}),
              HasSubstr("--target=h100:1x1x8 has 8 devices, --mesh=x=3 has 3"));
  EXPECT_THAT(error("HloModule m, num_partitions=8, is_scheduled=true\n\nENTRY e {\n  ROOT x = "
                    "f32[8] parameter(0)\n}\n",
                    {"--target=h100:4"}),
              HasSubstr("has 4 devices, the module was compiled for 8"));
  EXPECT_THAT(error(kPartitioned, {"--target=h100"}), HasSubstr("as in h100:1x1x8"));
  EXPECT_THAT(error(kPartitioned, {"--target=tpu-v4:2x2x2"}), HasSubstr("is not modelled"));
  EXPECT_THAT(error(kPartitioned, {"--target=tpu-v5e:2x4", "--xla-flags=--xla_other"}),
              HasSubstr("modelled are xla_jf_spmd_threshold_for_windowed_einsum_mib"));
  EXPECT_THAT(error(kPartitioned, {"--target=cpu", "--xla-flags=--xla_other"}),
              HasSubstr("--xla-flags: those that are modelled decide for GPUs and TPUs"));
  EXPECT_THAT(error(kPartitioned, {"--target=h100:8", "--xla-flags=--xla_other"}),
              HasSubstr("--xla-flags: --xla_other: what this flag does is not modelled"));
  EXPECT_THAT(error(kPartitioned, {"--stop-after=x"}),
              HasSubstr("--stop-after: needs the --target of a GPU or TPU"));
  EXPECT_THAT(error(kPartitioned, {"--dump-after=x"}),
              HasSubstr("--dump-after: needs the --target"));
  EXPECT_THAT(error(kPartitioned, {"--xla-flags=--xla_other"}), HasSubstr("needs --target"));
  EXPECT_THAT(error(kPartitioned, {"--target=h100:8", "--stage=pass"}),
              HasSubstr("expected partitioned or final"));
  EXPECT_THAT(error(kPartitioned, {"--stage=final"}), HasSubstr("needs the --target of a GPU"));
  EXPECT_THAT(error(kPartitioned, {"--target=h100:8", "--as-is"}),
              HasSubstr("--as-is: the module is partitioned"));
  EXPECT_THAT(
      error(kPartitioned, {"--target=h100:8", "--stop-after=dcee"}),
      HasSubstr("--stop-after: no pass after the partitioner of this target is named 'dcee', "
                "did you mean 'dce'?; `tessera passes --target=h100:1x1x8` numbers"));
  EXPECT_THAT(error(kPartitioned, {"--target=h100:8", "--stop-after=spmd-simplify"}),
              HasSubstr("FILE --target=h100:1x1x8 --dump-after=spmd-simplify` shows the program"));
  EXPECT_THAT(
      error(kPartitioned, {"--target=h100:8", "--stop-after=sdy-close-shardings"}),
      HasSubstr("`tessera shardings FILE --target=h100:1x1x8 --dump-after=sdy-close-shardings` "
                "shows"));
  EXPECT_THAT(error(kPartitioned, {"--target=h100:8", "--stop-after=spmd-partitioning"}),
              HasSubstr("'spmd-partitioning'; `tessera partition FILE --target=h100:1x1x8 "
                        "--stage=partitioned` prints the program after it; `tessera passes"));
  EXPECT_THAT(error(kPartitioned, {"--target=h100:8", "--stop-after=dce", "--by=op"}),
              HasSubstr("expected --stop-after or --by, not both"));
  EXPECT_THAT(error(kPartitioned, {"--target=tpu-v5e:2x4", "--stop-after=table-copies"}),
              HasSubstr("'table-copies'; it runs for `memory`"));
  EXPECT_THAT(error(kPartitioned, {"--target=tpu-v5e:2x4", "--stage=partitioned",
                                   "--stop-after=all-gather-bcast-reorder"}),
              HasSubstr("--stop-after: --stage=partitioned stops before "
                        "'all-gather-bcast-reorder': leave it out, or use --stage=final\n"));
  EXPECT_THAT(error(kPartitioned, {"--target=h100:8", "--stage=partitioned", "--dump-after=all"}),
              HasSubstr("--dump-after: --stage=partitioned has no pass after the partitioner: "));
  EXPECT_THAT(error(kPartitioned, {"--target=h100:8", "--stop-after=99.dce"}),
              HasSubstr("is named '99.dce'"));
  EXPECT_THAT(error(kPartitioned, {"--target=h100:8", "--dump-after=dcee"}),
              HasSubstr("--dump-after: no pass after the partitioner of this target is named"));
}

TEST(TargetCollectivesTest, ACpuIsWhatIsAnsweredWithoutATarget) {
  const Outcome plain = RunOn(kLowered, {});
  const Outcome cpu = RunOn(kLowered, {"--target=cpu"});
  EXPECT_EQ(cpu.exit, 0) << cpu.err;
  EXPECT_EQ(cpu.out, plain.out);
}

TEST(TargetCollectivesTest, WithoutATargetThoseThatStandThere) {
  EXPECT_EQ(RunOn(kPartitioned, {}).out,
            "1 collective, each device sends 3 KiB\n"
            "     3 KiB x1    all-reduce f32[16,32] over [2,4]<=[8]: r of x, dot  # m.py:7\n");
  const std::string final =
      "HloModule m, is_scheduled=true, num_partitions=4\n"
      "ENTRY e {\n"
      "  x = f32[8] parameter(0)\n"
      "  s = (f32[8], f32[32]) all-gather-start(x), replica_groups={{0,1,2,3}}, dimensions={0}\n"
      "  n = f32[8] negate(x)\n"
      "  d = f32[32] all-gather-done(s)\n"
      "  ROOT t = (f32[32], f32[8]) tuple(d, n)\n"
      "}\n";
  EXPECT_EQ(
      RunOn(final, {"--mesh=a=4"}).out,
      "1 collective, each device sends 96 B\n"
      "      96 B x1    all-gather f32[32] over a: s of x, asynchronous over 1 instruction\n");
  EXPECT_THAT(RunOn(final, {"--json"}).out,
              HasSubstr(R"("synchronous":false,"form":"asynchronous","begin":"s","end":"d",)"
                        R"("between":{"instructions":1,"products":0,"collectives":0})"));
  EXPECT_THAT(RunOn(final, {"--annotate=x=P('a')"}).err,
              HasSubstr("--annotate: the module is final (is_scheduled=true)"));
}

}  // namespace
}  // namespace tessera::pipeline
