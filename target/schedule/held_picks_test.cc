#include "tessera/target/schedule/held_picks.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"
#include "tessera/target/schedule/kernels.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;

// Two picks from logits that are computed one after the other, of COUNT rows.
constexpr char kPicks[] =
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
    "ENTRY e {\n  x = f32[COUNT,512] parameter(0)\n  y = f32[COUNT,512] parameter(1)\n"
    "  i = s32[COUNT,2] parameter(2)\n  z = f32[] constant(0)\n"
    "  a = f32[COUNT,512] exponential(x)\n"
    "  p = f32[COUNT] gather(a, i), offset_dims={}, collapsed_slice_dims={0,1}, "
    "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}\n"
    "  b = f32[COUNT,512] exponential(y)\n"
    "  q = f32[COUNT] gather(b, i), offset_dims={}, collapsed_slice_dims={0,1}, "
    "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}\n"
    "  d = f32[COUNT] subtract(p, q)\n"
    "  ROOT t = f32[] reduce(d, z), dimensions={0}, to_apply=sum\n}\n";

// Steps by the names of their instructions: "p-" is a start alone, "-p" an end.
std::vector<std::string> Held(int64_t count) {
  const auto module =
      hlo::ParseModule(absl::StrReplaceAll(kPicks, {{"COUNT", absl::StrCat(count)}}));
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  const std::vector<int64_t> bytes(flow->values.size(), 4);
  const std::vector<ScopeKernels> scopes = FindKernels(*flow, FindKeptValues(*flow, bytes));
  std::vector<Step> steps;
  for (uint32_t k = 0; k < scopes[0].kernels.size(); ++k) steps.push_back({k});
  HoldPicks(*flow, scopes[0], &steps);
  std::vector<std::string> names;
  for (const Step& step : steps) {
    const Node& node = flow->nodes[scopes[0].kernels[step.kernel].node];
    names.push_back(absl::StrCat(step.starts ? "" : "-", module->instruction(node.instruction).name,
                                 step.ends ? "" : "-"));
  }
  return names;
}

TEST(HoldPicksTest, TheFirstEndsInFrontOfTheSecond) {
  EXPECT_THAT(Held(2048), ElementsAre("a", "p-", "b", "-p", "q", "t"));
}

TEST(HoldPicksTest, NotOfFewRows) { EXPECT_THAT(Held(1024), ElementsAre("a", "p", "b", "q", "t")); }

}  // namespace
}  // namespace tessera::target
