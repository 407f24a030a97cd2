#include "tessera/target/schedule/kernels.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What the kernel of the division of `p` may write over, on a GPU, where it computes all but products itself. `more`
// is what makes the dividend of p.
std::vector<ValueId> ReusedWhenDividedBy(const std::string& divisor, ValueId* p,
                                         const std::string& dividend = "p",
                                         const std::string& more = "") {
  const auto module = hlo::ParseModule(absl::StrCat(
      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n"
      "ENTRY e {\n  x = f32[8,8] parameter(0)\n  y = f32[8] parameter(1)\n"
      "  p = f32[8,8] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  zero = f32[] constant(0)\n  r = f32[8] reduce(p, zero), dimensions={1}, to_apply=sum\n"
      "  c = f32[8] add(",
      divisor, ", y)\n  b = f32[8,8] broadcast(c), dimensions={0}\n", more,
      "  ROOT q = f32[8,8] divide(", dividend, ", b)\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  KeptValues kept;
  kept.is_kept.resize(flow->values.size());
  kept.sources.resize(flow->values.size());
  for (const Node& node : flow->nodes) {
    const bool is_inside = node.opcode == hlo::Opcode::kReduce ||
                           node.opcode == hlo::Opcode::kAdd ||
                           node.opcode == hlo::Opcode::kBroadcast;
    for (size_t k = 0; k < node.results.size(); ++k) {
      kept.CollectSources(node, k);
      if (!is_inside) kept.Keep(node.results[k]);
      if (node.opcode == hlo::Opcode::kDot) *p = node.results[k];
    }
    kept.kernels.push_back(is_inside ? kNone : static_cast<uint32_t>(kept.kernels.size()));
  }
  const std::vector<ScopeKernels> scopes = FindKernels(*flow, kept);
  const auto& reuses = scopes[0].kernels.back().reuses;
  return {reuses.begin(), reuses.end()};
}

// A division writes over what it divides, but not if it sums it first: each cell needs the whole row.
TEST(FindKernelsTest, AKernelWritesBesideWhatItSums) {
  ValueId p = kNone;
  const std::vector<ValueId> reused = ReusedWhenDividedBy("y", &p);
  EXPECT_THAT(reused, ElementsAre(p));
  EXPECT_THAT(ReusedWhenDividedBy("r", &p), IsEmpty());
}

TEST(FindKernelsTest, AKernelWritesOverWhatItReadsManyOperationsBefore) {
  std::string more, last = "p";
  for (int k = 0; k < 12; ++k) {
    absl::StrAppend(&more, "  p", k, " = f32[8,8] add(", last, ", ", last, ")\n");
    last = absl::StrCat("p", k);
  }
  ValueId p = kNone;
  const std::vector<ValueId> reused = ReusedWhenDividedBy("y", &p, last, more);
  EXPECT_THAT(reused, ElementsAre(p));
}

}  // namespace
}  // namespace tessera::target
