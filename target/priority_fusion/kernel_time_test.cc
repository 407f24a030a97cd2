// The cost of a kernel that grows beside that of the same kernel from the start.

#include "tessera/target/priority_fusion/kernel_time.h"

#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "tessera/target/priority_fusion/graph/fusion_graph.h"
#include "tessera/target/priority_fusion/read_program.h"

namespace tessera::target {
namespace {

// Lines of one array each, $0, from the arrays $1 and $2; all of the same shape.
constexpr const char* kSteps[] = {
    "  $0 = f32[64,64] negate($1)\n",
    "  $0 = f32[64,64] add($1, $2)\n",
    "  $0 = f32[64,64] multiply($1, $1)\n",
    "  $0 = f32[64,64] transpose($1), dimensions={1,0}\n",
    "  $0 = f32[64,64] reverse($1), dimensions={1}\n",
    "  f$0 = f32[4096] bitcast($1)\n  $0 = f32[64,64] bitcast(f$0)\n",
    "  s$0 = f32[64] reduce($1, z), dimensions={1}, to_apply=sum\n"
    "  $0 = f32[64,64] broadcast(s$0), dimensions={0}\n",
    "  h$0 = f32[32,64] slice($1), slice={[0:32], [0:64]}\n"
    "  $0 = f32[64,64] concatenate(h$0, h$0), dimensions={0}\n",
};

class GrowingCostTest : public ::testing::TestWithParam<uint32_t> {
 protected:
  uint32_t Below(size_t limit) { return static_cast<uint32_t>(random_() % limit); }

  std::string RandomBody() {
    std::string body =
        "  z = f32[] constant(0)\n  v0 = f32[64,64] parameter(0)\n"
        "  v1 = f32[64,64] parameter(1)\n";
    const auto name = [](uint32_t n) { return "v" + std::to_string(n); };
    for (uint32_t k = 2; k < 26; ++k) {
      body +=
          absl::Substitute(kSteps[Below(std::size(kSteps))], name(k), name(Below(k)), name(k - 1));
    }
    return body + "  ROOT r = f32[64,64] tanh(v25)\n";
  }

  std::mt19937 random_{GetParam()};
};

void ExpectEqual(const KernelCost& grown, const KernelCost& anew) {
  EXPECT_EQ(grown.ticks, anew.ticks);
  EXPECT_EQ(grown.read_ticks, anew.read_ticks);
  EXPECT_EQ(grown.write_ticks, anew.write_ticks);
  EXPECT_EQ(grown.flops, anew.flops);
  EXPECT_EQ(grown.ir_size, anew.ir_size);
  EXPECT_EQ(grown.blocks, anew.blocks);
  EXPECT_EQ(grown.tiled, anew.tiled);
  EXPECT_EQ(grown.passes, anew.passes);
  EXPECT_EQ(grown.is_scattered, anew.is_scattered);
  ASSERT_EQ(grown.kernels, anew.kernels);
  for (size_t k = 0; k < grown.operands.size(); ++k) {
    EXPECT_EQ(grown.operands[k].kernel, anew.operands[k].kernel);
    EXPECT_EQ(grown.operands[k].read_bytes, anew.operands[k].read_bytes);
  }
}

// The cost of a kernel from the start, and of each operand as one kernel with it.
void ExpectCostFromTheStart(FusionGraph* graph, uint32_t kernel) {
  std::vector<uint32_t> results(graph->size()), places(graph->size());
  std::iota(results.begin(), results.end(), 0);
  const FusionGraph::Kernels operands = graph->node(kernel).operands;
  for (uint32_t k = 0; k < operands.size(); ++k) places[operands[k]] = k;
  const KernelCost anew =
      CostOf(graph->node(kernel).outputs[0], {operands, places}, graph->facts(), results);
  ExpectEqual(graph->CostOf(kernel), anew);
  for (const uint32_t operand : operands) {
    const KernelCost& producer = graph->CostOf(operand);
    EXPECT_EQ(TicksFused(operand, producer, graph->CostOf(kernel)),
              TicksFused(operand, producer, anew));
    EXPECT_EQ(TiledOfFused(operand, producer, graph->CostOf(kernel)),
              TiledOfFused(operand, producer, anew));
  }
}

// Nothing moves in a bitcast: as one kernel both read what the producer reads.
TEST(TicksFusedTest, OfABitcast) {
  const DeviceProgram program = ReadProgram(
      "  x = f32[8] parameter(0)\n  n = f32[8] negate(x)\n  ROOT b = f32[2,4] bitcast(n)\n");
  FusionGraph graph(program, program.module().entry_id());
  EXPECT_GE(TicksFused(1, graph.CostOf(1), graph.CostOf(2)), graph.CostOf(1).read_ticks);
}

// Producers into users at random, until nothing is left that may be a part of a kernel.
TEST_P(GrowingCostTest, GrowsAsFromTheStart) {
  const DeviceProgram program = ReadProgram(RandomBody());
  FusionGraph graph(program, program.module().entry_id());
  for (int step = 0; step < 200; ++step) {
    const uint32_t user = Below(graph.size());
    if (graph.node(user).is_gone || !graph.IsFusible(user) || graph.node(user).is_triton) continue;
    const auto& operands = graph.node(user).operands;
    if (operands.empty()) continue;
    const uint32_t producer = operands[Below(operands.size())];
    if (!graph.IsFusible(producer) || graph.node(producer).is_triton) continue;
    graph.CostOf(user);
    graph.Fuse(producer, user);
    graph.RemoveUnused(producer);
    ExpectCostFromTheStart(&graph, user);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GrowingCostTest, ::testing::Range(uint32_t{0}, uint32_t{50}));

}  // namespace
}  // namespace tessera::target
