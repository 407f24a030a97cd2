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

// As XLA's GPU compiler has it: input_transpose_fusion, and two loops.
TEST(PriorityFusionTest, ATransposeByTilesIsNotFusedIntoALoop) {
  EXPECT_THAT(KernelsOf("  x = f32[2048,1024] parameter(0)\n  n = f32[2048,1024] negate(x)\n"
                        "  t = f32[1024,2048] transpose(n), dimensions={1,0}\n"
                        "  a = f32[1024,2048] add(t, t)\n"
                        "  b = f32[1024,2048] reverse(t), dimensions={0}\n"
                        "  ROOT r = (f32[1024,2048], f32[1024,2048]) tuple(a, b)\n"),
              ElementsAre("t: x", "a: t t", "b: t", "r: a b"));
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

// Tiles pay where both minor dimensions are long; where the most minor one stays, rows are copied.
TEST(OpFactsTest, TransposesByTiles) {
  const auto facts_of = [](const std::string& line) {
    const DeviceProgram program =
        ReadProgram("  x = f32[64,4,32] parameter(0)\n  ROOT t = " + line);
    return FactsOf(program, program.module().computation(program.module().entry_id()).root);
  };
  const OpFacts rows = facts_of("f32[4,64,32] transpose(x), dimensions={1,0,2}\n");
  EXPECT_FALSE(rows.moves_minor || rows.is_tiled_transpose);
  const OpFacts tiles = facts_of("f32[32,64,4] transpose(x), dimensions={2,0,1}\n");
  EXPECT_TRUE(tiles.moves_minor && tiles.is_tiled_transpose);
  const OpFacts narrow = facts_of("f32[64,32,4] transpose(x), dimensions={0,2,1}\n");
  EXPECT_TRUE(narrow.moves_minor && !narrow.is_tiled_transpose);
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
