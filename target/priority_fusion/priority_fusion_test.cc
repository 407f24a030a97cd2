#include "tessera/target/priority_fusion/priority_fusion.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/priority_fusion/graph/fusion_graph.h"
#include "tessera/target/priority_fusion/model/expression.h"
#include "tessera/target/priority_fusion/model/launch.h"
#include "tessera/target/priority_fusion/model/op_facts.h"
#include "tessera/target/priority_fusion/model/roofline.h"
#include "tessera/target/priority_fusion/read_program.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;

// "d: n p" for each kernel that reads something, in post-order.
std::vector<std::string> KernelsOf(const std::string& body) {
  const DeviceProgram program = ReadProgram(body);
  const KernelGraph graph = FuseKernels(program, program.module().entry_id());
  const auto name = [&](KernelId k) {
    return std::string(program.module().instruction(graph.instructions[k]).name);
  };
  std::vector<std::string> lines;
  for (const KernelId k : PostOrder(graph)) {
    if (graph.operands[k].empty()) continue;
    lines.push_back(name(k) + ":");
    for (const KernelId operand : graph.operands[k]) lines.back() += " " + name(operand);
  }
  return lines;
}

// A user that is gone leaves its place to the last one: as in XLA, u is first.
TEST(PriorityFusionTest, FusesAProducerIntoEachOfItsUsers) {
  EXPECT_THAT(KernelsOf("  x = f32[4096,4096] parameter(0)\n  n = f32[4096,4096] negate(x)\n"
                        "  t = f32[4096,4096] add(n, n)\n  u = f32[4096,4096] multiply(n, n)\n"
                        "  ROOT r = (f32[4096,4096], f32[4096,4096]) tuple(t, u)\n"),
              ElementsAre("u: x", "r: u u"));
}

// The call needs n in memory, and the slice computes its part of it.
TEST(PriorityFusionTest, SaysWhatAKernelComputesAnew) {
  const DeviceProgram program = ReadProgram(
      "  x = f32[64,2048] parameter(0)\n  n = f32[64,2048] negate(x)\n"
      "  b = f32[131072] bitcast(n)\n  c = f32[] custom-call(b), "
      "custom_call_target=\"use\", custom_call_has_side_effect=true\n"
      "  s = f32[32,2048] slice(n), slice={[0:32], [0:2048]}\n"
      "  ROOT r = (f32[], f32[32,2048]) tuple(c, s)\n");
  const KernelResults results = ResultsOf(program, program.module().entry_id());
  std::vector<std::string> anew;
  for (size_t k = 0; k < results.of.size(); ++k) {
    for (const InstructionId id : results.recomputed[k]) {
      anew.push_back(std::string(program.module().instruction(results.of[k][0]).name) + ": " +
                     std::string(program.module().instruction(id).name));
    }
  }
  EXPECT_THAT(anew, ElementsAre("s: n"));
}

// The kernels of a product of `left` and y; bf16 is what it multiplies.
std::vector<std::string> ProductOf(const std::string& left) {
  return KernelsOf("  x = f32[256,256] parameter(0)\n  y = bf16[256,256] parameter(1)\n" + left +
                   "  ROOT d = bf16[256,256] dot(l, y), lhs_contracting_dims={1}, "
                   "rhs_contracting_dims={0}\n");
}

// As XLA's GPU compiler has each: gemm_fusion_dot, alone or after a loop.
TEST(ProductTest, ComputesWhatReadsNoMoreThanItGives) {
  EXPECT_THAT(KernelsOf("  x = f32[64,64] parameter(0)\n  n = f32[64,64] negate(x)\n"
                        "  t = f32[64,64] abs(n)\n"
                        "  ROOT d = f32[64,64] dot(t, n), lhs_contracting_dims={1}, "
                        "rhs_contracting_dims={0}\n"),
              ElementsAre("d: x"));
  EXPECT_THAT(
      ProductOf("  s = f32[256,256] sine(x)\n  r = f32[256,256] reverse(s), dimensions={0}\n"
                "  l = bf16[256,256] convert(r)\n"),
      ElementsAre("l: x", "d: l y"));
}

TEST(ProductTest, ComputesWhatReadsOnlyItsOwnInputs) {
  const std::string narrow = "  l = bf16[256,256] convert(x)\n";
  EXPECT_THAT(ProductOf(narrow), ElementsAre("d: y x"));
  EXPECT_THAT(ProductOf(narrow + "  m = f32[256,256] negate(x)\n  c = f32[] custom-call(m), "
                                 "custom_call_target=\"use\", custom_call_has_side_effect=true\n"),
              ::testing::Contains("d: l y"));
  EXPECT_THAT(KernelsOf("  x = f32[256,256] parameter(0)\n  y = f32[256,256] parameter(1)\n"
                        "  l = f32[256,256] multiply(x, x)\n"
                        "  ROOT d = f32[256,256] dot(l, y), lhs_contracting_dims={1}, "
                        "rhs_contracting_dims={0}\n"),
              ElementsAre("l: x x", "d: l y"));
}

TEST(ProductTest, ComputesWhatIsScaledByAnInput) {
  const auto scaled = [](const std::string& scale) {
    return KernelsOf(
        "  x = f32[256,256] parameter(0)\n  y = f32[256,256] parameter(1)\n"
        "  v = f32[256] parameter(2)\n  s = f32[256] sine(v)\n"
        "  b = f32[256,256] broadcast(" +
        scale +
        "), dimensions={1}\n  l = f32[256,256] multiply(x, b)\n"
        "  ROOT d = f32[256,256] dot(l, y), lhs_contracting_dims={1}, "
        "rhs_contracting_dims={0}\n");
  };
  EXPECT_THAT(scaled("v"), ::testing::Contains("d: y x v"));
  EXPECT_THAT(scaled("s"), ::testing::Contains("d: l y"));
}

// How many kernels there are of two that read x and halves beside it; `whole`: rows of both results.
size_t KernelsOfNeighbours(const std::string& half, const std::string& whole) {
  const std::string h = "f32[8," + half + ",64]", w = "f32[8," + whole + ",64]";
  const auto body = [&](const std::string& id) {
    return "  a" + id + " = " + h + " parameter(" + id + ")\n  c" + id + " = " + w +
           " concatenate(n, a" + id + "), dimensions={1}\n  wave" + id + " = " + w + " sine(c" +
           id + ")\n  use" + id + " = " + w + " custom-call(wave" + id +
           "), custom_call_target=\"use\"\n";
  };
  const DeviceProgram program =
      ReadProgram("  x = f32[8,4,64] parameter(0)\n  n = f32[8,4,64] negate(x)\n" + body("1") +
                  body("2") + "  ROOT r = (" + w + ", " + w + ") tuple(use1, use2)\n");
  return FuseKernels(program, program.module().entry_id()).instructions.size();
}

// The second kernel is a result of the first one, if each puts together arrays that are alike.
TEST(MultiOutputFusionTest, ArraysOfSeveralSizesAreJoinedAlone) {
  EXPECT_EQ(KernelsOfNeighbours("2", "6"), KernelsOfNeighbours("4", "8") + 1);
}

// What was fused reads after what stands there anyway.
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

// Both may be fused, until one of them is: what is known of a pair is forgotten when one of it changes.
TEST(PriorityFusionTest, OneOfTwoReductionsIsFusedIntoTheirSum) {
  EXPECT_THAT(KernelsOf("  x = f32[16,4096] parameter(0)\n  y = f32[16,4096] parameter(1)\n"
                        "  z = f32[] constant(0)\n"
                        "  a = f32[4096] reduce(x, z), dimensions={0}, to_apply=sum\n"
                        "  b = f32[4096] reduce(y, z), dimensions={0}, to_apply=sum\n"
                        "  s = f32[4096] add(a, b)\n  ROOT r = (f32[4096]) tuple(s)\n"),
              ElementsAre("a: x z", "s: a y z", "r: s"));
}

// The reduction is a fusion with its constant, so it joins the first loop. The two loops would be one otherwise.
TEST(PriorityFusionTest, AReductionWithItsConstantIsAFusion) {
  EXPECT_THAT(KernelsOf("  x = f32[64,4096] parameter(0)\n  z = f32[] constant(0)\n"
                        "  s = f32[4096] reduce(x, z), dimensions={0}, to_apply=sum\n"
                        "  n = f32[64,4096] negate(x)\n  e = f32[64,4096] exponential(n)\n"
                        "  w = f32[64,4096] broadcast(s), dimensions={1}\n"
                        "  d = f32[64,4096] add(x, w)\n"
                        "  ROOT r = (f32[64,4096], f32[64,4096]) tuple(e, d)\n"),
              ElementsAre("s: x z", "d: x s", "r: s d"));
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

// The transpose decides how the sum is made, so that it is no loss to fuse it.
TEST(PriorityFusionTest, ATransposeByTilesIsFusedIntoASum) {
  EXPECT_THAT(KernelsOf("  x = f32[2048,1024] parameter(0)\n  y = f32[1024,2048] parameter(1)\n"
                        "  t = f32[1024,2048] transpose(x), dimensions={1,0}\n"
                        "  a = f32[1024,2048] add(y, t)\n"
                        "  ROOT r = (f32[1024,2048]) tuple(a)\n"),
              ElementsAre("a: y x", "r: a"));
}

std::string TwoSlices(const std::string& second) {
  return "  x = f32[64,64] parameter(0)\n"
         "  a = f32[64,32] slice(x), slice={[0:64], [0:32]}\n  b = f32[64,32] negate(a)\n"
         "  c = f32[64,32] slice(x), slice={[0:64], [" +
         second +
         "]}\n  d = f32[64,32] ceil(c)\n"
         "  ROOT r = (f32[64,32], f32[64,32]) tuple(b, d)\n";
}

TEST(MultiOutputFusionTest, KernelsOfDifferentSlicesStayApart) {
  EXPECT_THAT(KernelsOf(TwoSlices("32:64")), ElementsAre("b: x", "d: x", "r: b d"));
  EXPECT_THAT(KernelsOf(TwoSlices("16:48")), ElementsAre("b: x", "r: b b"));
}

TEST(MultiOutputFusionTest, UsersOfAProductStayApart) {
  const std::string body =
      "  x = f32[64,64] parameter(0)\n  y = f32[64,64] OP\n"
      "  a = f32[64,64] negate(y)\n  b = f32[64,64] ceil(a)\n"
      "  c = f32[64,64] floor(y)\n  d = f32[64,64] sign(c)\n"
      "  ROOT r = (f32[64,64], f32[64,64]) tuple(b, d)\n";
  const auto with = [&](const std::string& op) {
    std::string text = body;
    return KernelsOf(text.replace(text.find("OP"), 2, op));
  };
  EXPECT_THAT(with("dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
              ElementsAre("y: x x", "b: y", "d: y", "r: b d"));
  EXPECT_THAT(with("parameter(1)"), ElementsAre("b: y", "r: b b"));
}

// A hyperbolic tangent costs more than a read of what it is of.
// The first reduction writes the tanh, too, and the second one reads it there.
TEST(PriorityFusionTest, DoesNotRepeatWhatIsCostly) {
  EXPECT_THAT(KernelsOf("  x = f32[4096,4096] parameter(0)\n  z = f32[] constant(0)\n"
                        "  t = f32[4096,4096] tanh(x)\n"
                        "  a = f32[4096] reduce(t, z), dimensions={1}, to_apply=sum\n"
                        "  b = f32[4096] reduce(t, z), dimensions={0}, to_apply=sum\n"
                        "  ROOT r = (f32[4096], f32[4096]) tuple(a, b)\n"),
              ElementsAre("a: z x", "b: a z", "r: a b"));
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

OpFacts FactsOfRoot(const std::string& body) {
  const DeviceProgram program = ReadProgram(body);
  return FactsOf(program, program.module().computation(program.module().entry_id()).root);
}

// bf16[64,2048,16,2] to [64,2,16,2048]: two elements at once. Of f32 there is no such kernel.
TEST(OpFactsTest, NarrowTransposesGoInPacks) {
  const auto is_tiled = [](const std::string& type, const std::string& between) {
    return FactsOfRoot("  x = " + type + "[64,2048," + between + ",2] parameter(0)\n  ROOT t = " +
                       type + "[64,2," + between + ",2048] transpose(x), dimensions={0,3,2,1}\n")
        .is_tiled_transpose;
  };
  EXPECT_TRUE(is_tiled("bf16", "16"));
  EXPECT_FALSE(is_tiled("bf16", "8"));
  EXPECT_FALSE(is_tiled("f32", "16"));
}

TEST(OpFactsTest, AWarpThatCrossesOperandsGoesBothWays) {
  const auto flops = [](const std::string& size, const std::string& both) {
    return FactsOfRoot("  x = f32[8," + size + "] parameter(0)\n  ROOT c = f32[8," + both +
                       "] concatenate(x, x), dimensions={1}\n")
        .flops;
  };
  EXPECT_EQ(flops("16", "32"), 8 * 32 * 6);
  EXPECT_EQ(flops("8", "16"), 8 * 16 * 400);
}

TEST(OpFactsTest, AScatterWritesItsUpdates) {
  const OpFacts facts = FactsOfRoot(
      "  x = f32[1024] parameter(0)\n  i = s32[16,1] parameter(1)\n  u = f32[16] parameter(2)\n"
      "  ROOT s = f32[1024] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum\n");
  EXPECT_EQ(facts.written_bytes, 64);
  EXPECT_EQ(facts.looped_elements, 16);
}

TEST(FactsTest, IntegersOf64BitsTakeLonger) {
  const auto flops = [](const std::string& type, const std::string& op) {
    return FactsOfRoot("  x = " + type + "[16] parameter(0)\n  ROOT r = " + type + "[16] " + op +
                       "(x, x)\n")
        .flops;
  };
  EXPECT_EQ(flops("u32", "multiply"), 16 * 3);
  EXPECT_EQ(flops("u64", "multiply"), 16 * 11);
  EXPECT_EQ(flops("u32", "divide"), 16 * 122);
}

std::vector<double> LaunchOfRoot(const std::string& body, int bits = 32) {
  const OpFacts facts = FactsOfRoot(body);
  const bool is_tiled = facts.is_tiled_reduce || facts.is_tiled_transpose;
  const Launch launch = LaunchOf(facts, is_tiled ? &facts : nullptr, bits);
  return {launch.blocks, launch.threads};
}

TEST(LaunchTest, OfLoops) {
  const auto loop = [](const std::string& size) {
    return LaunchOfRoot("  x = f32[" + size + "] parameter(0)\n  ROOT n = f32[" + size +
                        "] negate(x)\n");
  };
  EXPECT_THAT(loop("8"), ElementsAre(1, 8));
  EXPECT_THAT(loop("65536"), ElementsAre(512, 128));
  EXPECT_THAT(loop("1048576"), ElementsAre(2048, 128));
}

TEST(LaunchTest, OfReductions) {
  const auto reduce = [](const std::string& from, const std::string& to, const std::string& along,
                         int bits) {
    return LaunchOfRoot("  x = f32[" + from + "] parameter(0)\n  z = f32[] constant(0)\n" +
                            "  ROOT r = f32[" + to + "] reduce(x, z), dimensions={" + along +
                            "}, to_apply=sum\n",
                        bits);
  };
  EXPECT_THAT(reduce("16384", "", "0", 32), ElementsAre(1, 1024));
  EXPECT_THAT(reduce("128,192", "128", "1", 32), ElementsAre(16, 256));
  EXPECT_THAT(reduce("8192,4", "8192", "1", 8), ElementsAre(128, 256));  // as many as of 32 bits
  EXPECT_THAT(reduce("256,2048", "2048", "0", 32), ElementsAre(32, 1024));
  EXPECT_THAT(reduce("256,2048", "2048", "0", 16), ElementsAre(16, 1024));
}

TEST(LaunchTest, OfTransposes) {
  EXPECT_THAT(LaunchOfRoot("  x = f32[1024,48] parameter(0)\n"
                           "  ROOT t = f32[48,1024] transpose(x), dimensions={1,0}\n"),
              ElementsAre(64, 128));
}

// XLA's durations: 32.32 and 19.55 quarters of a nanosecond are 32 and 20; half a quarter counts as one.
TEST(RooflineTest, CountsInQuartersOfANanosecond) {
  EXPECT_EQ(ReadTicks(32, 16384, 16384, 1), 32);
  EXPECT_EQ(WriteTicks(16384, 1), 20);
  EXPECT_EQ(ComputeTicks(40960, {32, 128}), 10);
  EXPECT_EQ(Together(10, 116), 116);
}

TEST(RooflineTest, RoundsAsTheLibrary) {
  for (const double x : {0.0, 0.25, 0.5, 0.49999999999999994, 1.5, 2.5, 2.4999999, 1e15 + 0.5,
                         1e300, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(Rounded(x), std::round(x)) << x;
    EXPECT_EQ(Rounded(-x), std::round(-x)) << x;
  }
}

// What XLA calls a run time, of instructions alone. Each operand of a product is read; nothing is moved
// by a bitcast; what is read again of 512 KiB comes from the second cache.
TEST(KernelTimeTest, OfOneInstruction) {
  const auto micros = [](const std::string& body) {
    const DeviceProgram program = ReadProgram(body);
    FusionGraph graph(program, program.module().entry_id());
    return graph.CostOf(static_cast<uint32_t>(graph.size() - 1)).ticks / kTicksOfSecond * 1e6;
  };
  const std::string x = "  x = f32[2048,2048] parameter(0)\n";
  EXPECT_NEAR(micros(x + "  ROOT n = f32[2048,2048] negate(x)\n"), 10.02, 0.01);
  EXPECT_NEAR(micros(x + "  ROOT m = f32[2048,2048] multiply(x, x)\n"), 15.02, 0.01);
  EXPECT_EQ(micros(x + "  ROOT b = f32[4194304] bitcast(x)\n"), 0);
  EXPECT_NEAR(micros("  x = pred[2048,256] parameter(0)\n"
                     "  ROOT b = pred[128,2048,256] broadcast(x), dimensions={1,2}\n"),
              28.0, 0.2);
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
