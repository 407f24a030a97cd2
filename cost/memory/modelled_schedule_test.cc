#include "tessera/cost/memory/modelled_schedule.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/cost/memory/peak_model.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/pass.h"
#include "tessera/target/target.h"

namespace tessera::cost {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// By name: whether it is synchronous.
std::map<std::string, bool> FormsOf(absl::string_view text, absl::string_view target) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const auto found = ModelSchedule(*module, *target::ParseTarget(target));
  EXPECT_TRUE(found.ok()) << found.status();
  std::map<std::string, bool> named;
  for (const auto& [id, synchronous] : found->is_synchronous) {
    named.emplace(module->instruction(id).name, synchronous);
  }
  return named;
}

constexpr char kGatherAndSum[] = R"(HloModule m, num_partitions=8

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY e {
  x = f32[4096,4096] parameter(0)
  w = f32[512,4096] parameter(1)
  gather = f32[4096,4096] all-gather(w), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true
  p = f32[4096,4096] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  q = f32[4096,4096] dot(p, gather), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT reduce = f32[4096,4096] all-reduce(q), channel_id=2, replica_groups=[1,8]<=[8], use_global_device_ids=true, to_apply=sum
}
)";

// The gather runs beside the first product; nothing is left to run beside the sum.
TEST(ModelledScheduleTest, NothingRunsBesideTheLastOne) {
  EXPECT_THAT(FormsOf(kGatherAndSum, "h100:1x1x8"),
              ElementsAre(Pair("gather", false), Pair("reduce", true)));
}

TEST(ModelledScheduleTest, WhatCombinersLeftHasKernels) {
  target::Context context(*hlo::ParseModule(kGatherAndSum), *target::ParseTarget("h100:1x1x8"), {});
  const hlo::ComputationId entry = context.program.module().entry_id();
  EXPECT_FALSE(KernelsBefore(context).contains(entry));
  context.unfused.insert(entry);
  EXPECT_TRUE(KernelsBefore(context).contains(entry));
}

TEST(ModelledScheduleTest, OrderHasStartsAndEnds) {
  const auto module = hlo::ParseModule(kGatherAndSum);
  const auto found = ModelSchedule(*module, *target::ParseTarget("h100:1x1x8"));
  ASSERT_TRUE(found.ok()) << found.status();
  std::vector<std::string> order;
  for (const ScheduledStep& step : found->order.at(module->entry_id())) {
    const absl::string_view what = step.starts && step.ends ? ""
                                   : step.starts            ? " starts"
                                                            : " ends";
    order.push_back(absl::StrCat(module->instruction(step.instruction).name, what));
  }
  EXPECT_THAT(
      order, ElementsAre("gather starts", "p", "gather ends", "q", "reduce starts", "reduce ends"));
}

}  // namespace
}  // namespace tessera::cost
