#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/schema/cost_answer.pb.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Eight devices: a product whose sum goes over all, and a custom call.
constexpr char kLowered[] =
    "HloModule m, num_partitions=8\n"
    "ENTRY e {\n"
    "  x = bf16[1024,8192] parameter(0), sharding={devices=[1,8]<=[8]}\n"
    "  w = bf16[8192,4096] parameter(1), sharding={devices=[8,1]<=[8]}\n"
    "  d = bf16[1024,4096] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={replicated}, metadata={op_name=\"dot\" source_file=\"m.py\" source_line=7}\n"
    "  c = bf16[1024,4096] custom-call(d), custom_call_target=\"fast\", sharding={replicated}\n"
    "  ROOT t = bf16[1024,4096] tanh(c), sharding={replicated}\n"
    "}\n";

// As a TPU compiler leaves it: a fused product and an all-reduce.
constexpr char kFinal[] =
    "HloModule m, is_scheduled=true, num_partitions=8\n"
    "sum {\n"
    "  l = f32[] parameter(0)\n"
    "  r = f32[] parameter(1)\n"
    "  ROOT s = f32[] add(l, r)\n"
    "}\n"
    "fused {\n"
    "  p = bf16[1024,1024]{1,0:T(8,128)(2,1)} parameter(0)\n"
    "  q = bf16[1024,4096]{1,0:T(8,128)(2,1)} parameter(1)\n"
    "  ROOT v = f32[1024,4096]{1,0:T(8,128)} convolution(p, q), dim_labels=bf_io->bf\n"
    "}\n"
    "ENTRY e {\n"
    "  x = bf16[1024,1024]{1,0:T(8,128)(2,1)} parameter(0)\n"
    "  w = bf16[1024,4096]{1,0:T(8,128)(2,1)} parameter(1)\n"
    "  f = f32[1024,4096]{1,0:T(8,128)} fusion(x, w), kind=kOutput, calls=fused, "
    "metadata={op_name=\"dot\" source_file=\"m.py\" source_line=7}\n"
    "  ROOT a = f32[1024,4096]{1,0:T(8,128)} all-reduce(f), replica_groups={{0,1,2,3,4,5,6,7}}, "
    "channel_id=1, use_global_device_ids=true, to_apply=sum\n"
    "}\n";

Outcome Cost(const std::string& text, std::vector<std::string> words) {
  words.insert(words.begin(), {"cost", TestFile("m.hlo", text)});
  return RunTessera({CostVerb()}, words);
}

TEST(CostVerbTest, OfALoweredModule) {
  const Outcome run = Cost(kLowered, {"--mesh=x=8", "--target=tpu-v5e:2x4"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("a step takes "));
  EXPECT_THAT(run.out, HasSubstr("on tpu-v5e:2x4: between "));
  EXPECT_THAT(run.out, HasSubstr("all-reduce"));
  EXPECT_THAT(run.out, HasSubstr("m.py:7\n"));
  EXPECT_THAT(run.out, HasSubstr("no time is known for 1 kernel: "));
  EXPECT_THAT(run.out, HasSubstr("a step takes at least "));
  EXPECT_THAT(run.out, HasSubstr("(fast); --kernel-cost gives one\n"));
}

// As `collectives` has it: each array of a combined collective has a line of its own, and its part of the time.
TEST(CostVerbTest, CombinedCollectivesAreOfSeveralLines) {
  constexpr char kTwoSums[] =
      "HloModule m, num_partitions=8\n"
      "ENTRY e {\n"
      "  x = f32[8,1024] parameter(0), sharding={devices=[1,8]<=[8]}\n"
      "  w = f32[1024,64] parameter(1), sharding={devices=[8,1]<=[8]}\n"
      "  v = f32[1024,32] parameter(2), sharding={devices=[8,1]<=[8]}\n"
      "  d = f32[8,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "sharding={replicated}, metadata={op_name=\"d\" source_file=\"m.py\" source_line=7}\n"
      "  f = f32[8,32] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "sharding={replicated}, metadata={op_name=\"f\" source_file=\"m.py\" source_line=9}\n"
      "  ROOT t = (f32[8,64], f32[8,32]) tuple(d, f), sharding={{replicated}, {replicated}}\n"
      "}\n";
  const std::vector<std::string> flags = {"--target=tpu-v5e:2x4", "--axis=x", "--mesh=x=8"};
  const Outcome run = Cost(kTwoSums, flags);
  EXPECT_THAT(run.out, HasSubstr("over x: 2 arrays by all-reduce-combiner\n")) << run.err;
  answers::CostAnswer answer;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(
                  Cost(kTwoSums, {flags[0], flags[2], "--json"}).out, &answer)
                  .ok());
  ASSERT_EQ(answer.collectives_size(), 1);
  const answers::CostCollective& one = answer.collectives(0);
  ASSERT_EQ(one.parts_size(), 2);
  EXPECT_FALSE(one.has_location());
  double seconds = 0;
  for (const answers::CostSum& sum : answer.by_line()) {
    if (sum.name() == "m.py:7" || sum.name() == "m.py:9") seconds += sum.seconds();
    EXPECT_LT(sum.seconds(), one.exposed_s() * 0.9) << sum.name();
  }
  EXPECT_GE(seconds, one.exposed_s());
  EXPECT_THAT(Cost(kTwoSums, {flags[0], "--match=m.py:9"}).out, HasSubstr("2 arrays"));
}

TEST(CostVerbTest, CustomCallsTakeWhatTheUserSays) {
  const Outcome run = Cost(kLowered, {"--target=tpu-v5e:2x4", "--kernel-cost=fast=197e13,1"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("a step takes 10 s on"));
  EXPECT_THAT(run.out, Not(HasSubstr("no time is known")));
  EXPECT_THAT(Cost(kLowered, {"--target=tpu-v5e:2x4", "--kernel-cost=fats=1,1"}).err,
              HasSubstr("note: --kernel-cost=fats=..: no custom call of this module has the target "
                        "'fats'; the nearest are fast\n"));
}

TEST(CostVerbTest, OfAFinalModule) {
  const Outcome run = Cost(kFinal, {"--target=tpu-v5e:2x4"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("the device computes, in 1 kernel\n"));
  EXPECT_THAT(run.out, HasSubstr(" of 15.75 GiB\n"));
  EXPECT_THAT(run.out, HasSubstr("time share  runs\n"));
  EXPECT_THAT(run.out, HasSubstr(" %     1  f: dot, "));
}

// A machine of a file.
std::string Lab() {
  return TestFile(
      "lab.textproto",
      "name: \"lab\" level { name: \"host\" devices: 8 device_bytes_per_s: 1e11 alpha_s: 1e-6 }\n"
      "device { launch_s: 1e-6 hbm_bytes_per_s: 1e12 transcendental_per_s: 1e12\n"
      "  peak { dtype: \"bf16\" flops_per_s: 1e13 } }\n");
}

// 1.5 GHz.
TEST(CostVerbTest, TheCompilersOwnEstimatesAreBeside) {
  std::string module = kFinal;
  module.insert(module.find("source_line=7}") + 14,
                ", backend_config={\"estimated_cycles\":\"150000\"}");
  const Outcome run = Cost(module, {"--target=tpu-v5e:2x4"});
  EXPECT_THAT(run.out,
              ::testing::ContainsRegex("\n      100 us  the compiler itself expects of 1 of "
                                       "these, which take [0-9.]+ us here\n"));
  EXPECT_THAT(run.out, HasSubstr("\n        time   compiler share  runs\n"));
  EXPECT_THAT(run.out, ::testing::ContainsRegex(" us     100 us +[0-9]+ %     1  f: dot, "));
  const Outcome lab = Cost(module, {absl::StrCat("--target=", Lab())});
  EXPECT_EQ(lab.exit, 0) << lab.err;
  EXPECT_THAT(lab.out, ::testing::Not(HasSubstr("compiler")));
}

TEST(CostVerbTest, AMachineOfAFileTakesTheKernelsOfAnyCompiler) {
  const Outcome run = Cost(kFinal, {absl::StrCat("--target=", Lab())});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("the device computes, in 1 kernel\n"));
}

TEST(CostVerbTest, FiltersChooseKernelsAndCollectives) {
  const auto listed = [](std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--mesh=x=8", "--target=tpu-v5e:2x4", "--json"});
    answers::CostAnswer answer;
    const Outcome run = Cost(kLowered, flags);
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(run.out, &answer).ok());
    EXPECT_GT(answer.total_s(), 0);
    return std::make_pair(answer.kernels_size(), answer.collectives_size());
  };
  const auto [kernels, collectives] = listed({});
  EXPECT_GT(kernels, 1);
  EXPECT_EQ(collectives, 1);
  EXPECT_EQ(listed({"--axis=x"}), std::make_pair(0, 1)) << "kernels run along no axis";
  EXPECT_EQ(listed({"--match=no such"}), std::make_pair(0, 0));
  EXPECT_EQ(listed({"--top=1"}), std::make_pair(1, 1));
  EXPECT_EQ(listed({"--top=0"}), std::make_pair(kernels, collectives));
  EXPECT_EQ(listed({"--min-bytes=1TiB"}), std::make_pair(0, 0));
  EXPECT_THAT(Cost(kLowered, {"--mesh=x=8", "--target=tpu-v5e:2x4", "--axis=y"}).err,
              HasSubstr("--axis=y: the axes are x"));
}

TEST(CostVerbTest, OnAGpu) {
  const Outcome run = Cost(kLowered, {"--target=h100:1x1x8"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("on h100:1x1x8: between "));
  EXPECT_THAT(run.out, Not(HasSubstr("no schedule is known")));
}

TEST(CostVerbTest, TheNoteStatesTheShareOfTheFormThatWasRead) {
  EXPECT_THAT(Cost(kLowered, {"--target=tpu-v5e:2x4"}).err, HasSubstr("from a lowered module, "));
  EXPECT_THAT(Cost(kFinal, {"--target=tpu-v5e:2x4"}).err, HasSubstr("from a final module, "));
  EXPECT_THAT(Cost(kLowered, {"--target=tpu-v5e:2x4"}).err, Not(HasSubstr("bytes of each opcode")));
}

TEST(CostVerbTest, MemoryHasAVerdict) {
  const auto memory_of = [](const char* elements) {
    return Cost(absl::StrCat("HloModule m\n\nENTRY e {\n  x = f32[", elements,
                             ",1024] parameter(0)\n  ROOT n = f32[", elements,
                             ",1024] negate(x)\n}\n"),
                {"--target=tpu-v5e:1x1"})
        .out;
  };
  EXPECT_THAT(memory_of("1024"), HasSubstr("memory of 15.75 GiB\n"));
  EXPECT_THAT(memory_of("2000000"), HasSubstr("memory of 15.75 GiB: too close to say\n"));
  EXPECT_THAT(memory_of("8000000"), HasSubstr("memory of 15.75 GiB: does not fit\n"));
}

TEST(CostVerbTest, WhatAFilterChoosesHasASumOfItsOwn) {
  const std::string mesh = "--mesh=x=8", target = "--target=tpu-v5e:2x4";
  const std::string whole = Cost(kLowered, {mesh, target}).out;
  EXPECT_THAT(whole, ::testing::StartsWith("a step takes "));
  const std::string chosen = Cost(kLowered, {mesh, target, "--axis=x"}).out;
  EXPECT_THAT(chosen, ::testing::MatchesRegex(
                          "--match, --axis and --min-bytes select 0 kernels of 0 ns, and 1 "
                          "collective: [0-9.]+ us on links, [0-9.]+ us waited, [0-9.]+ [KM]iB "
                          "sent\nOnly the lists at the end are of these; (.|\n)*"));
  EXPECT_THAT(chosen, HasSubstr("\n\n" + whole.substr(0, whole.find('\n'))));
  EXPECT_THAT(chosen,
              ::testing::EndsWith("\n\nno kernel matches --match, --axis and --min-bytes\n"));
  EXPECT_THAT(chosen, Not(HasSubstr("each kernel")));
  EXPECT_THAT(Cost(kLowered, {mesh, target, "--match=^none$"}).out,
              HasSubstr("\n\nno collective matches --match, --axis and --min-bytes\n"));
  EXPECT_THAT(whole, Not(HasSubstr(" matches --match")));
}

TEST(CostVerbTest, WhatIsMissingIsSaid) {
  EXPECT_THAT(Cost(kLowered, {}).err, HasSubstr("cost needs a machine: --target=tpu-v5e:4x4"));
  EXPECT_THAT(Cost(kFinal, {"--target=tpu-v4:2x2x2"}).err,
              HasSubstr("--target=tpu-v4:2x2x2: no times are known for kernels of tpu-v4; there "
                        "are tpu-v5e, tpu-v5p, tpu-v6e and GPUs"));
  EXPECT_THAT(Cost(kLowered, {"--target=tpu-v5e:4x4"}).err,
              HasSubstr("--target=tpu-v5e:4x4 has 16 devices, the module runs on 8"));
  EXPECT_THAT(Cost(kFinal, {"--target=tpu-v5e:4x4"}).err,
              HasSubstr("--target=tpu-v5e:4x4 has 16 devices, the module was compiled for 8"));
  for (const char* bad : {"fast", "fast=1", "fast=1,x", "=1,2", "fast=-1,2", "fast=nan,1"}) {
    EXPECT_THAT(Cost(kLowered, {"--target=tpu-v5e:2x4", absl::StrCat("--kernel-cost=", bad)}).err,
                HasSubstr("expected TARGET=FLOPS,BYTES"))
        << bad;
  }
}

}  // namespace
}  // namespace tessera::pipeline
