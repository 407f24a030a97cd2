#include "tessera/target/priority_fusion/priority_fusion.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/priority_fusion/expression.h"
#include "tessera/target/priority_fusion/op_facts.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;

DeviceProgram ReadProgram(const std::string& body) {
  return DeviceProgram(
      *hlo::ParseModule("HloModule m\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                        "  ROOT s = f32[] add(a, b)\n}\n\nENTRY e {\n" +
                        body + "}\n"));
}

// "d: n p" for each kernel that reads something, in post-order.
std::vector<std::string> KernelsOf(const std::string& body) {
  const DeviceProgram program = ReadProgram(body);
  const KernelGraph graph = FuseKernels(program, program.module().entry_id());
  const auto name = [&](Kernel k) {
    return std::string(program.module().instruction(graph.instructions[k]).name);
  };
  std::vector<std::string> lines;
  for (const Kernel k : PostOrder(graph)) {
    if (graph.operands[k].empty()) continue;
    lines.push_back(name(k) + ":");
    for (const Kernel operand : graph.operands[k]) lines.back() += " " + name(operand);
  }
  return lines;
}

TEST(PriorityFusionTest, FusesAProducerIntoEachOfItsUsers) {
  EXPECT_THAT(KernelsOf("  x = f32[4096,4096] parameter(0)\n  n = f32[4096,4096] negate(x)\n"
                        "  t = f32[4096,4096] add(n, n)\n  u = f32[4096,4096] multiply(n, n)\n"
                        "  ROOT r = (f32[4096,4096], f32[4096,4096]) tuple(t, u)\n"),
              ElementsAre("t: x", "r: t t"));
}

TEST(PriorityFusionTest, KeepsWhatAProductReads) {
  EXPECT_THAT(KernelsOf("  x = f32[64,64] parameter(0)\n  n = f32[64,64] negate(x)\n"
                        "  t = f32[64,64] abs(n)\n"
                        "  ROOT d = f32[64,64] dot(t, n), lhs_contracting_dims={1}, "
                        "rhs_contracting_dims={0}\n"),
              ElementsAre("t: x", "d: t t"));
}

// What was fused reads behind what stands there anyway.
TEST(PriorityFusionTest, AppendsOperandsOfWhatWasFused) {
  EXPECT_THAT(KernelsOf("  x = f32[8] parameter(0)\n  y = f32[8] parameter(1)\n"
                        "  n = f32[8] negate(x)\n  s = f32[8] add(n, y)\n"
                        "  ROOT r = (f32[8]) tuple(s)\n"),
              ElementsAre("s: y x", "r: s"));
}

TEST(PriorityFusionTest, ATiledReductionIsNotFusedIntoALoop) {
  EXPECT_THAT(KernelsOf("  x = f32[64,1024] parameter(0)\n  y = f32[64] parameter(1)\n"
                        "  z = f32[] constant(0)\n"
                        "  s = f32[64] reduce(x, z), dimensions={1}, to_apply=sum\n"
                        "  p = f32[64] multiply(s, y)\n  ROOT r = (f32[64]) tuple(p)\n"),
              ElementsAre("s: x z", "p: s y", "r: p"));
}

// A hyperbolic tangent costs more than a read of what it is of.
TEST(PriorityFusionTest, DoesNotRepeatWhatIsCostly) {
  EXPECT_THAT(KernelsOf("  x = f32[4096,4096] parameter(0)\n  z = f32[] constant(0)\n"
                        "  t = f32[4096,4096] tanh(x)\n"
                        "  a = f32[4096] reduce(t, z), dimensions={1}, to_apply=sum\n"
                        "  b = f32[4096] reduce(t, z), dimensions={0}, to_apply=sum\n"
                        "  c = f32[4096,4096] negate(t)\n"
                        "  ROOT r = (f32[4096], f32[4096], f32[4096,4096]) tuple(a, b, c)\n")
                  .size(),
              4);
}

TEST(OpFactsTest, CountsReads) {
  const DeviceProgram program =
      ReadProgram("  x = f32[64] parameter(0)\n  ROOT s = f32[16] slice(x), slice={[0:16]}\n");
  const OpFacts facts =
      FactsOf(program, program.module().computation(program.module().entry_id()).root);
  EXPECT_EQ(facts.bytes, 64);
  EXPECT_THAT(facts.utilization, ElementsAre(0.25));
}

TEST(ExpressionTest, TakesThePlaceOfAKernel) {
  const Expression producer = {{7, {{Read::kKernel, 3}}}};
  const Expression consumer = {{8, {{Read::kKernel, 9}, {Read::kKernel, 4}}}};
  const Expression fused = Fused(producer, 9, consumer);
  ASSERT_EQ(fused.size(), 2);
  EXPECT_THAT(fused[1].reads, ElementsAre(Read{Read::kInner, 0}, Read{Read::kKernel, 4}));
  EXPECT_THAT(OperandsAsMerged(fused), ElementsAre(4, 3));
}

}  // namespace
}  // namespace tessera::target
