#include "tessera/target/schedule/loss_kernels.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"
#include "tessera/target/schedule/kernels.h"

namespace tessera::target {
namespace {

constexpr char kLoss[] =
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
    "ENTRY e {\n  x = f32[ROWS,8,16] parameter(0)\n  i = s32[ROWS,8,3] parameter(1)\n"
    "  z = f32[] constant(0)\n"
    "  p = f32[ROWS,8] gather(x, i), offset_dims={}, collapsed_slice_dims={0,1,2}, "
    "start_index_map={0,1,2}, index_vector_dim=2, slice_sizes={1,1,1}\n"
    "  e = f32[ROWS,8,16] exponential(x)\n"
    "  s = f32[ROWS,8] reduce(e, z), dimensions={2}, to_apply=sum\n"
    "  l = f32[ROWS,8] log(s)\n  d = f32[ROWS,8] subtract(l, p)\n"
    "  t = f32[] reduce(d, z), dimensions={0,1}, to_apply=sum\n"
    "  b = f32[ROWS,8,16] broadcast(s), dimensions={0,1}\n"
    "  g = f32[ROWS,8,16] divide(e, b)\n"
    "  ROOT o = (f32[], f32[ROWS,8,16]) tuple(t, g)\n}\n";

// Whether the kernel of the gradient g waits for the sum t.
bool Waits(const std::string& rows) {
  const auto module = hlo::ParseModule(absl::StrReplaceAll(kLoss, {{"ROWS", rows}}));
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  const std::vector<int64_t> bytes(flow->values.size(), 4);
  const std::vector<ScopeKernels> scopes = FindKernels(*flow, FindKeptValues(*flow, bytes));
  const std::vector<ValueId>& roots = flow->scopes[0].roots;
  return absl::c_any_of(scopes[0].kernels, [&](const Kernel& kernel) {
    return absl::c_linear_search(kernel.makes, roots[1]) &&
           absl::c_linear_search(kernel.reads, roots[0]);
  });
}

TEST(LossKernelsTest, TheGradientFollowsTheSumOfLosses) { EXPECT_TRUE(Waits("2")); }

// As in a final module with one sequence a device.
TEST(LossKernelsTest, SumsWithADimensionOfOneAreInOtherKernels) { EXPECT_FALSE(Waits("1")); }

// A masked loss `t`, and the sum `n` of its mask, by which the gradient `g` is divided. They stand in the order n, g, t.
constexpr char kMasked[] =
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
    "ENTRY e {\n  l = f32[4,8] parameter(0)\n  m = f32[COUNT] parameter(1)\n"
    "  k = f32[4,8] parameter(2)\n  z = f32[] constant(0)\n"
    "  n = f32[] reduce(m, z), dimensions={DIMS}, to_apply=sum\n"
    "  b = f32[4,8] broadcast(n), dimensions={}\n  g = f32[4,8] divide(k, b)\n"
    "  d = f32[4,8] multiply(l, MASK)\n"
    "  t = f32[] reduce(d, z), dimensions={0,1}, to_apply=sum\n"
    "  ROOT o = (f32[], f32[4,8]) tuple(t, g)\n}\n";

bool GradientWaits(const std::string& mask, const std::string& count, const std::string& dims) {
  const auto module = hlo::ParseModule(
      absl::StrReplaceAll(kMasked, {{"MASK", mask}, {"COUNT", count}, {"DIMS", dims}}));
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  const std::vector<int64_t> bytes(flow->values.size(), 4);
  const std::vector<ScopeKernels> scopes = FindKernels(*flow, FindKeptValues(*flow, bytes));
  const std::vector<ValueId>& roots = flow->scopes[0].roots;
  return absl::c_any_of(scopes[0].kernels, [&](const Kernel& kernel) {
    return absl::c_linear_search(kernel.makes, roots[1]) &&
           absl::c_linear_search(kernel.reads, roots[0]);
  });
}

TEST(SumsOfMasksTest, TheGradientFollowsTheMaskedLoss) {
  EXPECT_TRUE(GradientWaits("m", "4,8", "0,1"));
}

// No array is read by both, or one is larger.
TEST(SumsOfMasksTest, OtherSumsAreInOtherKernels) {
  EXPECT_FALSE(GradientWaits("k", "4,8", "0,1"));
  EXPECT_FALSE(GradientWaits("k", "32", "0"));
}

}  // namespace
}  // namespace tessera::target
