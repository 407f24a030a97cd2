// The kernels in `tessera stats`.

#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/schema/stats_answer.pb.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// One that states all, in the memory of its operand, and one that states nothing.
constexpr char kKernels[] =
    "HloModule m, is_scheduled=true\n"
    "ENTRY e {\n"
    "  x = f32[8,128]{1,0:T(8,128)S(1)} parameter(0)\n"
    "  k = f32[8,128]{1,0:T(8,128)S(1)} custom-call(x), custom_call_target=\"tpu_custom_call\", "
    "output_to_operand_aliasing={{}: (0, {})}, metadata={op_name=\"f/scale\"}, "
    "backend_config={\"scoped_memory_configs\":[{\"memory_space\":\"1\",\"size\":\"2097152\"}],"
    "\"custom_call_config\":{\"cost_estimate\":{\"flops\":\"1024\",\"bytes_accessed\":\"8192\"}},"
    "\"used_scoped_memory_configs\":[{\"memory_space\":\"1\",\"size\":\"4096\"}]}\n"
    "  ROOT q = f32[8,128]{1,0:T(8,128)} custom-call(k), custom_call_target=\"mosaic_gpu\"\n"
    "}\n";

TEST(KernelListTest, WhatIsStatedAndWhatIsNot) {
  const Outcome run = RunTessera({StatsVerb()}, {"stats", TestFile("kernels.hlo", kKernels)});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out,
              HasSubstr("kernels whose code is not XLA's\n"
                        "          k tpu_custom_call, f/scale\n"
                        "            operand  f32[8,128]{1,0:T(8,128)S(1)}  4 KiB of VMEM\n"
                        "            result   f32[8,128]{1,0:T(8,128)S(1)}  4 KiB of VMEM, that of "
                        "operand 0\n"
                        "            scratch  4 KiB of VMEM; limit 2 MiB of VMEM\n"
                        "            cost     1.02e+03 flops, 8 KiB read and written, by its "
                        "author's estimate\n"
                        "          q mosaic_gpu\n"));
  EXPECT_THAT(run.out, HasSubstr("            scratch  not stated\n"
                                 "            cost     not stated; cost --kernel-cost=mosaic_gpu="
                                 "FLOPS,BYTES gives one\n"));
}

TEST(KernelListTest, Json) {
  const Outcome run =
      RunTessera({StatsVerb()}, {"stats", TestFile("kernels.hlo", kKernels), "--json"});
  answers::StatsAnswer answer;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(run.out, &answer).ok()) << run.out;
  ASSERT_EQ(answer.kernels_size(), 2);
  EXPECT_EQ(answer.kernels(0).results(0).operand(), 0);
  EXPECT_EQ(answer.kernels(0).scratch(0).memory(), "VMEM");
  EXPECT_EQ(answer.kernels(0).scratch(0).bytes(), 4096);
  EXPECT_EQ(answer.kernels(0).cost().flops(), 1024);
  EXPECT_FALSE(answer.kernels(1).has_cost());
}

TEST(KernelListTest, NoKernelsNoList) {
  const Outcome run = RunTessera(
      {StatsVerb()},
      {"stats",
       TestFile("plain.hlo", "HloModule m\nENTRY e {\n  ROOT x = f32[8] parameter(0)\n}\n")});
  EXPECT_THAT(run.out, Not(HasSubstr("kernels")));
}

}  // namespace
}  // namespace tessera::pipeline
