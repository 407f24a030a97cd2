#include "tessera/target/fusion/kept_by_kernels.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;

// Instructions from `first` on came after fusion, which left kernels of one instruction each.
std::vector<std::string> KeptIn(const std::string& body, const std::string& first = "") {
  const auto module = hlo::ParseModule("HloModule m\nENTRY e {\n" + body + "}\n");
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  FusedBefore before;
  for (const hlo::InstructionId id : module->entry().instructions) {
    if (first.empty()) break;
    KernelResults& results = before[module->entry_id()];
    results.end = id;
    if (module->instruction(id).name == first) break;
    results.of.push_back({id});
  }
  const KeptValues kept = FindKeptByKernels(*flow, KernelsOf(*flow, nullptr, &before));
  std::vector<std::string> names;
  for (const Node& node : flow->nodes) {
    for (const ValueId v : node.results) {
      if (kept.is_kept[v]) names.emplace_back(module->instruction(node.instruction).name);
    }
  }
  return names;
}

// As XLA's GPU compiler (jax-cuda12-plugin 0.12.0.1) has it: input_transpose_fusion, and two kernels that read
// what it writes.
TEST(KeptByKernelsTest, ATransposeByTilesIsKept) {
  EXPECT_THAT(KeptIn("  x = f32[2048,1024] parameter(0)\n"
                     "  n = f32[2048,1024] negate(x)\n"
                     "  t = f32[1024,2048] transpose(n), dimensions={1,0}\n"
                     "  a = f32[1024,2048] add(t, t)\n"
                     "  r = f32[1024,2048] reverse(t), dimensions={0}\n"
                     "  ROOT o = (f32[1024,2048], f32[1024,2048]) tuple(a, r)\n"),
              ElementsAre("x", "t", "a", "r"));
}

// As XLA's GPU compiler (jax-cuda12-plugin 0.12.0.1) has it: gemm_fusion(x), which computes what its product reads.
TEST(KeptByKernelsTest, WhatIsCheapIsComputedAnew) {
  EXPECT_THAT(KeptIn("  x = f32[64,64] parameter(0)\n"
                     "  n = f32[64,64] negate(x)\n"
                     "  t = f32[64,64] abs(n)\n"
                     "  ROOT d = f32[64,64] dot(t, x), lhs_contracting_dims={1}, "
                     "rhs_contracting_dims={0}\n"),
              ElementsAre("x", "d"));
}

// The negate would be fused into the abs.
TEST(KeptByKernelsTest, WhatCameAfterFusionIsAKernel) {
  const std::string body =
      "  x = f32[64,64] parameter(0)\n  n = f32[64,64] negate(x)\n  ROOT a = f32[64,64] abs(n)\n";
  EXPECT_THAT(KeptIn(body), ElementsAre("x", "a"));
  EXPECT_THAT(KeptIn(body, "n"), ElementsAre("x", "n", "a"));
}

}  // namespace
}  // namespace tessera::target
