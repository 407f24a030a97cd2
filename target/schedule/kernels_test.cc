#include "tessera/target/schedule/kernels.h"

#include <cstddef>
#include <cstdint>
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

// Adam of a gradient g in two halves. `more` reads g too. The numbers of arrays that each kernel makes.
std::vector<size_t> MadeByAdam(const std::string& more = "") {
  const auto module = hlo::ParseModule(absl::StrCat(
      "ENTRY e {\n  w = f32[8,8] parameter(0)\n  m = f32[8,8] parameter(1)\n  v = f32[8,8] "
      "parameter(2)\n"
      "  p = f32[8,8] dot(w, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  q = f32[8,8] collective-permute(p), source_target_pairs={{0,1},{1,0}}\n"
      "  g = f32[8,8] add(p, q)\n  m2 = f32[8,8] add(m, g)\n  s = f32[8,8] multiply(g, g)\n"
      "  v2 = f32[8,8] add(v, s)\n  r = f32[8,8] rsqrt(v2)\n  u = f32[8,8] multiply(m2, r)\n"
      "  w2 = f32[8,8] subtract(w, u)\n",
      more.empty() ? "  n = f32[8,8] negate(w)\n" : more,
      "  ROOT t = (f32[8,8], f32[8,8], f32[8,8], f32[8,8]) tuple(w2, m2, v2, n)\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  const std::vector<int64_t> bytes(flow->values.size(), 256);
  const std::vector<ScopeKernels> scopes = FindKernels(*flow, FindKeptValues(*flow, bytes));
  std::vector<size_t> made;
  for (const Kernel& kernel : scopes[0].kernels) made.push_back(kernel.makes.size());
  return made;
}

// As multiply_add_fusion in the compiler's final modules: a weight and its moments. The kernel adds the halves, unless
// another one reads the sum.
TEST(FindKernelsTest, OneKernelUpdatesAWeightAndItsMoments) {
  EXPECT_THAT(MadeByAdam(), ElementsAre(1, 1, 3, 1));
  EXPECT_THAT(
      MadeByAdam("  n = f32[8,8] dot(g, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"),
      ElementsAre(1, 1, 1, 3, 1));
}

}  // namespace
}  // namespace tessera::target
