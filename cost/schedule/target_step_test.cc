#include "tessera/cost/schedule/target_step.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/cost/schedule/stated_time.h"
#include "tessera/hlo/parser.h"

namespace tessera::cost {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

struct Answer {
  hlo::Module module;
  TargetStep step;
};

Answer StepOf(const std::string& text, const char* target_text, const StepOptions& options = {}) {
  auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const auto standing = target::FindStanding(*module);
  EXPECT_TRUE(standing.ok()) << standing.status();
  auto step = StepOnTarget(*module, *standing, *target::ParseTarget(target_text), options);
  EXPECT_TRUE(step.ok()) << step.status();
  return {*std::move(module), *std::move(step)};
}

// In the order that the compiler is predicted to give it.
Answer ScheduledStepOf(const std::string& text, const char* target_text) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const auto schedule = ModelSchedule(*module, *target::ParseTarget(target_text));
  EXPECT_TRUE(schedule.ok()) << schedule.status();
  StepOptions options;
  options.schedule = &*schedule;
  return StepOf(text, target_text, options);
}

constexpr char kSum[] =
    "sum { l = f32[] parameter(0) r = f32[] parameter(1) ROOT s = f32[] add(l, r) }\n";

// A permute of 8 MiB, and a kernel between its start and done.
std::string Asynchronous(const std::string& between) {
  return std::string("HloModule m, is_scheduled=true, num_partitions=4\nENTRY e {\n") +
         "  x = f32[2048,1024]{1,0:T(8,128)} parameter(0)\n"
         "  y = f32[8192,8192]{1,0:T(8,128)} parameter(1)\n"
         "  s = (f32[2048,1024]{1,0:T(8,128)}, f32[2048,1024]{1,0:T(8,128)}, u32[], u32[]) "
         "collective-permute-start(x), channel_id=1, source_target_pairs={{0,1},{1,0}}\n" +
         between + "  ROOT d = f32[2048,1024]{1,0:T(8,128)} collective-permute-done(s)\n}\n";
}

TEST(TargetStepTest, WhatRunsBesideAKernelIsHidden) {
  const Answer alone = StepOf(Asynchronous(""), "tpu-v5e:2x2");
  // 8 MiB on a link of 36.9 GB/s, a hop and the launch.
  const double seconds = 8388608 / (0.82 * 4.5e10) + 6e-6;
  EXPECT_THAT(alone.step.links_s, DoubleNear(seconds, 1e-9));
  EXPECT_THAT(alone.step.exposed_s, DoubleNear(seconds, 1e-9));
  const Answer beside =
      StepOf(Asynchronous("  n = f32[8192,8192]{1,0:T(8,128)} negate(y)\n"), "tpu-v5e:2x2");
  EXPECT_THAT(beside.step.links_s, DoubleNear(seconds, 1e-9));
  EXPECT_EQ(beside.step.exposed_s, 0);
  EXPECT_TRUE(beside.step.links[0].is_hidden_by_kernels);
  EXPECT_GT(beside.step.device_s, seconds);
  EXPECT_EQ(beside.step.total_s(), beside.step.least_s());
}

TEST(TargetStepTest, ALoopRunsItsTripsAndWaitsInEach) {
  const Answer answer =
      StepOf(std::string("HloModule m, num_partitions=4\n") + kSum +
                 "body { p = (s32[], f32[1024,1024]) parameter(0)\n"
                 "  i = s32[] get-tuple-element(p), index=0\n"
                 "  x = f32[1024,1024] get-tuple-element(p), index=1\n"
                 "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n"
                 "  n = f32[1024,1024] negate(x)\n"
                 "  a = f32[1024,1024] all-reduce(n), replica_groups={{0,1,2,3}}, channel_id=1, "
                 "use_global_device_ids=true, to_apply=sum\n"
                 "  ROOT t = (s32[], f32[1024,1024]) tuple(j, a) }\n"
                 "cond { p = (s32[], f32[1024,1024]) parameter(0)\n"
                 "  i = s32[] get-tuple-element(p), index=0\n  five = s32[] constant(5)\n"
                 "  ROOT c = pred[] compare(i, five), direction=LT }\n"
                 "ENTRY e_spmd { z = s32[] constant(0) x = f32[1024,1024] parameter(0)\n"
                 "  t = (s32[], f32[1024,1024]) tuple(z, x)\n"
                 "  ROOT w = (s32[], f32[1024,1024]) while(t), condition=cond, body=body }\n",
             "tpu-v5e:2x2");
  EXPECT_THAT(answer.step.link_runs, ElementsAre(5));
  EXPECT_THAT(answer.step.exposed_s, DoubleNear(5 * *answer.step.links[0].seconds, 1e-12));
  EXPECT_EQ(answer.step.loops_counted_once, 0);
  EXPECT_EQ(answer.step.most_s(), answer.step.total_s());  // it waits for sums
}

// p1 reads the first gather and leads to the second, so that nothing can run beside either of them; the third is
// beside p1.
TEST(TargetStepTest, AGatherIsHiddenByProductsThatDoNotDependOnIt) {
  const auto gather = [](const char* name, const char* of, int channel) {
    return absl::StrCat("  ", name, " = bf16[4096,4096]{1,0} all-gather(", of,
                        "), replica_groups={{0,1,2,3}}, dimensions={0}, channel_id=", channel,
                        ", use_global_device_ids=true\n");
  };
  const std::string dims = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  const auto exposed = [&](const std::string& third) {
    const Answer answer = ScheduledStepOf(
        absl::StrCat("HloModule m, num_partitions=4\nENTRY e_spmd {\n"
                     "  x = bf16[1024,4096]{1,0} parameter(0)\n"
                     "  w1 = bf16[1024,4096]{1,0} parameter(1)\n"
                     "  w2 = bf16[1024,4096]{1,0} parameter(2)\n",
                     gather("g1", "w1", 1), "  p1 = bf16[1024,4096]{1,0} dot(x, g1)", dims,
                     gather("g2", "p1", 2), third, "  ROOT p2 = bf16[4096,4096]{1,0} dot(g2, ",
                     third.empty() ? "g2" : "g3", ")", dims, "}\n"),
        "tpu-v5e:2x2");
    std::vector<bool> waits;
    for (const LinkTime& link : answer.step.links)
      waits.push_back(link.exposed_s > 0.999 * *link.seconds);
    return waits;
  };
  EXPECT_THAT(exposed(""), ElementsAre(true, true));
  EXPECT_THAT(exposed(gather("g3", "w2", 3)), ElementsAre(true, true, false));
}

// Of two permutes, one reads the only product, and the other is beside it.
TEST(TargetStepTest, APermuteIsHiddenByProductsThatDoNotDependOnIt) {
  const auto exposed = [](const char* of, const char* target) {
    const Answer answer = ScheduledStepOf(
        absl::StrCat(
            "HloModule m, num_partitions=4\nENTRY e_spmd {\n"
            "  x = bf16[4096,4096]{1,0} parameter(0)\n  y = bf16[4096,4096]{1,0} parameter(1)\n"
            "  p = bf16[4096,4096]{1,0} dot(x, x), lhs_contracting_dims={1}, "
            "rhs_contracting_dims={0}\n"
            "  c = bf16[4096,4096]{1,0} collective-permute(",
            of,
            "), channel_id=1, source_target_pairs={{0,1},{1,0}}\n"
            "  ROOT t = (bf16[4096,4096]{1,0}, bf16[4096,4096]{1,0}) tuple(p, c)\n}\n"),
        target);
    return answer.step.exposed_s / answer.step.links_s;
  };
  EXPECT_LT(exposed("y", "tpu-v5e:2x2"), 1);
  EXPECT_THAT(exposed("p", "tpu-v5e:2x2"), DoubleNear(1, 1e-9));
  EXPECT_LT(exposed("y", "tpu-v6e:4x8"), 1);
  // Permutes of v5e are synchronous on more than 16 devices.
  EXPECT_THAT(exposed("y", "tpu-v5e:4x8"), DoubleNear(1, 1e-9));
}

// Memory is predicted with one kernel for both products and their sums. The first product runs beside the permute.
TEST(TargetStepTest, AKernelThatIsNoStepRunsInFrontOfAnEnd) {
  const Answer answer = ScheduledStepOf(
      "HloModule m, num_partitions=4\nENTRY e_spmd {\n"
      "  x = bf16[4096,4096]{1,0} parameter(0)\n  y = bf16[4096,4096]{1,0} parameter(1)\n"
      "  z = bf16[4096,4096]{1,0} parameter(2)\n"
      "  c = bf16[4096,4096]{1,0} collective-permute(y), channel_id=1, "
      "source_target_pairs={{0,1},{1,0}}\n"
      "  p = bf16[4096,4096]{1,0} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  a = bf16[4096,4096]{1,0} add(z, p)\n"
      "  q = bf16[4096,4096]{1,0} dot(x, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT r = bf16[4096,4096]{1,0} add(a, q)\n}\n",
      "tpu-v5e:2x2");
  ASSERT_EQ(answer.step.kernels.size(), 2u);
  const double beside = answer.step.kernels[0].seconds();
  EXPECT_THAT(answer.step.exposed_s, DoubleNear(answer.step.links_s - beside, 1e-9));
}

// On v5e. A sum of the slices runs beside the gather.
TEST(TargetStepTest, AGatherIsNotHiddenByWhatOnlyMovesData) {
  const auto waits = [](const std::string& slices) {
    const Answer answer = ScheduledStepOf(
        "HloModule m, num_partitions=4\nENTRY e_spmd {\n"
        "  w = bf16[1024,4096]{1,0} parameter(0)\n  x = bf16[8,4096,4096]{2,1,0} parameter(1)\n"
        "  i = s32[] parameter(2)\n  z = s32[] constant(0)\n"
        "  g = bf16[4096,4096]{1,0} all-gather(w), replica_groups={{0,1,2,3}}, dimensions={0}, "
        "channel_id=1, use_global_device_ids=true\n"
        "  s = bf16[1,4096,4096]{2,1,0} dynamic-slice(x, i, z, z), "
        "dynamic_slice_sizes={1,4096,4096}\n" +
            slices +
            "  p = bf16[4096,4096]{1,0} dot(g, g), lhs_contracting_dims={1}, "
            "rhs_contracting_dims={0}\n"
            "  ROOT t = (bf16[4096,4096]{1,0}, bf16[1,4096,4096]{2,1,0}) tuple(p, a)\n}\n",
        "tpu-v5e:2x2");
    return answer.step.exposed_s / answer.step.links_s;
  };
  EXPECT_THAT(waits("  a = bf16[1,4096,4096]{2,1,0} copy(s)\n"), DoubleNear(1, 1e-9));
  EXPECT_LT(waits("  a = bf16[1,4096,4096]{2,1,0} add(s, s)\n"), 0.99);
}

TEST(TargetStepTest, OfAConditionalTheSlowerBranch) {
  const auto text = [](const char* rows) {
    return std::string("HloModule m, is_scheduled=true\n") +
           "few { p = f32[8,128]{1,0:T(8,128)} parameter(0)\n"
           "  ROOT n = f32[8,128]{1,0:T(8,128)} negate(p) }\n"
           "many { p = f32[" +
           rows +
           ",128]{1,0:T(8,128)} parameter(0)\n"
           "  n = f32[" +
           rows +
           ",128]{1,0:T(8,128)} negate(p)\n"
           "  ROOT s = f32[8,128]{1,0:T(8,128)} slice(n), slice={[0:8], [0:128]} }\n"
           "ENTRY e { b = pred[] parameter(0) x = f32[8,128]{1,0:T(8,128)} parameter(1)\n"
           "  y = f32[" +
           rows +
           ",128]{1,0:T(8,128)} parameter(2)\n"
           "  ROOT c = f32[8,128]{1,0:T(8,128)} conditional(b, x, y), true_computation=few, "
           "false_computation=many }\n";
  };
  const double small = StepOf(text("16"), "tpu-v5e:1x1").step.device_s;
  const double large = StepOf(text("80000"), "tpu-v5e:1x1").step.device_s;
  EXPECT_GT(large, 10 * small);
}

TEST(TargetStepTest, CustomCallsCostWhatTheUserSays) {
  const std::string text =
      "HloModule m, is_scheduled=true\n"
      "ENTRY e { x = f32[8,128] parameter(0)\n"
      "  ROOT c = f32[8,128] custom-call(x), custom_call_target=\"mine\" }\n";
  EXPECT_EQ(StepOf(text, "tpu-v5e:1x1").step.unknown.size(), 1u);
  StepOptions options;
  options.calls["mine"] = {197e12, 0};
  const Answer said = StepOf(text, "tpu-v5e:1x1", options);
  EXPECT_TRUE(said.step.unknown.empty());
  EXPECT_THAT(said.step.device_s, DoubleNear(1, 1e-5));
}

// The user's word counts before that of the kernel's author.
TEST(TargetStepTest, KernelsCostWhatTheModuleStates) {
  const std::string text =
      "HloModule m, is_scheduled=true\n"
      "ENTRY e { x = f32[8,128] parameter(0)\n"
      "  ROOT c = f32[8,128] custom-call(x), custom_call_target=\"tpu_custom_call\", "
      "backend_config={\"custom_call_config\":{\"cost_estimate\":{\"flops\":\"197000000000000\"}}} "
      "}\n";
  const Answer stated = StepOf(text, "tpu-v5e:1x1");
  EXPECT_TRUE(stated.step.unknown.empty());
  EXPECT_THAT(stated.step.device_s, DoubleNear(1, 1e-5));
  StepOptions options;
  options.calls["tpu_custom_call"] = {394e12, 0};
  EXPECT_THAT(StepOf(text, "tpu-v5e:1x1", options).step.device_s, DoubleNear(2, 1e-5));
}

// 1.5e9 cycles a second. The product in the loop runs three times.
TEST(TargetStepTest, TheCompilersOwnTime) {
  const std::string text =
      "HloModule m, is_scheduled=true\n"
      "body {\n"
      "  c = (s32[], f32[256,256]{1,0:T(8,128)}) parameter(0)\n"
      "  k = s32[] get-tuple-element(c), index=0\n"
      "  a = f32[256,256]{1,0:T(8,128)} get-tuple-element(c), index=1\n"
      "  d = f32[256,256]{1,0:T(8,128)} dot(a, a), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}, backend_config={\"estimated_cycles\":\"4000\"}\n"
      "  ROOT t = (s32[], f32[256,256]{1,0:T(8,128)}) tuple(k, d)\n"
      "}\n"
      "more { q = (s32[], f32[256,256]{1,0:T(8,128)}) parameter(0) ROOT r = pred[] constant(true) "
      "}\n"
      "ENTRY e {\n"
      "  x = f32[256,256]{1,0:T(8,128)} parameter(0)\n"
      "  n = f32[256,256]{1,0:T(8,128)} negate(x), "
      "backend_config={\"estimated_cycles\":\"3000\"}\n"
      "  z = s32[] constant(0)\n"
      "  i = (s32[], f32[256,256]{1,0:T(8,128)}) tuple(z, n)\n"
      "  ROOT w = (s32[], f32[256,256]{1,0:T(8,128)}) while(i), condition=more, body=body, "
      "backend_config={\"known_trip_count\":{\"n\":\"3\"}}\n"
      "}\n";
  const Answer answer = StepOf(text, "tpu-v5e:1x1");
  const auto stated =
      StatedSeconds(answer.module, answer.step, *target::ParseTarget("tpu-v5e:1x1"));
  ASSERT_TRUE(stated.has_value());
  EXPECT_THAT(*stated, DoubleNear((3000 + 3 * 4000) / 1.5e9, 1e-12));
  const Answer silent = StepOf(Asynchronous(""), "tpu-v5e:2x2");
  EXPECT_FALSE(
      StatedSeconds(silent.module, silent.step, *target::ParseTarget("tpu-v5e:2x2")).has_value());
}

TEST(TargetStepTest, TheCompilersOwnEstimates) {
  const std::string text =
      "HloModule m, is_scheduled=true\nENTRY e {\n"
      "  x = f32[8192,8192]{1,0:T(8,128)} parameter(0)\n"
      "  n = f32[8192,8192]{1,0:T(8,128)} negate(x), "
      "backend_config={\"estimated_cycles\":\"3000000\"}\n"
      "  ROOT m = f32[8192,8192]{1,0:T(8,128)} negate(n), "
      "backend_config={\"estimated_cycles\":\"9223372036854775807\"}\n}\n";
  StepOptions options;
  options.takes_estimates = true;
  const TargetStep with = StepOf(text, "tpu-v5e:1x1", options).step;
  const TargetStep without = StepOf(text, "tpu-v5e:1x1").step;
  ASSERT_EQ(with.kernels.size(), 2u);
  EXPECT_THAT(with.kernels[0].once.seconds, DoubleNear(2e-3, 1e-12));
  EXPECT_EQ(with.kernels[1].once.seconds, without.kernels[1].once.seconds);
  EXPECT_NE(without.kernels[0].once.seconds, with.kernels[0].once.seconds);
}

// The gather starts in front of the first product, which takes longer; the sum ends after all.
TEST(TargetStepTest, AGpuRunsWhatItsScheduleHas) {
  const std::string text = std::string("HloModule m, num_partitions=8\n") + kSum + R"(ENTRY e {
  x = f32[4096,4096] parameter(0)
  w = f32[512,4096] parameter(1)
  gather = f32[4096,4096] all-gather(w), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true
  p = f32[4096,4096] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  q = f32[4096,4096] dot(p, gather), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT reduce = f32[4096,4096] all-reduce(q), channel_id=2, replica_groups=[1,8]<=[8], use_global_device_ids=true, to_apply=sum
})";
  const Answer plain = StepOf(text, "h100:1x1x8");
  EXPECT_EQ(plain.step.exposed_s, plain.step.links_s);
  const Answer scheduled = ScheduledStepOf(text, "h100:1x1x8");
  EXPECT_EQ(scheduled.step.device_s, plain.step.device_s);
  EXPECT_EQ(scheduled.step.links[0].exposed_s, 0);
  EXPECT_TRUE(scheduled.step.links[0].is_hidden_by_kernels);
  EXPECT_DOUBLE_EQ(scheduled.step.links[1].exposed_s, *scheduled.step.links[1].seconds);
}

}  // namespace
}  // namespace tessera::cost
