// The examples at the head of the public headers, as they stand there: each compiles, and gives
// what its comment says.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/cost/cost.h"
#include "tessera/cost/memory/boundary.h"
#include "tessera/cost/memory/fused.h"
#include "tessera/cost/memory/tiled_layouts.h"
#include "tessera/cost/step/contraction_rate.h"
#include "tessera/cost/step/device_work.h"
#include "tessera/cost/step/loop_runs.h"
#include "tessera/hlo/parser.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/tile_rules.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/sharding/reference/behaviors.h"
#include "tessera/sharding/reference/reference.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::cost {
namespace {

using sharding::partition::FindCollectives;
using ::testing::ElementsAre;

// Each device has 4 rows of x and half of w; the parts of y are added over 'model'.
constexpr char kLayer[] = R"(HloModule layer, num_partitions=8
ENTRY main {
  x = f32[16,32] parameter(0), sharding={mesh['data'=4,'model'=2], [{'data'}, {'model'}]}
  w = f32[32,64] parameter(1), sharding={mesh['data'=4,'model'=2], [{'model'}, {}]}
  ROOT y = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={mesh['data'=4,'model'=2], [{'data'}, {}]}
})";

class CostExamples : public ::testing::Test {
 protected:
  const hlo::Module module = *hlo::ParseModule(kLayer);
  const sharding::Mesh mesh = *sharding::Mesh::Create({{"data", 4}, {"model", 2}});
  const sharding::reference::Behaviors behaviors;
};

TEST_F(CostExamples, Cost) {
  const auto device = sharding::partition::PartitionModule(module, behaviors);
  ASSERT_TRUE(device.ok()) << device.status();
  ASSERT_EQ(device->found.collectives.size(), 1u);

  const auto memory = cost::MemoryOf(*device);
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_EQ(memory->arguments, 4 * 16 * 4 + 16 * 64 * 4);
  EXPECT_EQ(memory->results, 4 * 64 * 4);

  const auto machine = cost::ReadMachine("tpu-v5e:4x2", mesh, 8);
  ASSERT_TRUE(machine.ok()) << machine.status();
  const auto step = cost::CostOfStep(module, *device, &*machine);
  ASSERT_TRUE(step.ok()) << step.status();
  EXPECT_EQ(step->memory, memory->total());
  EXPECT_EQ(step->sent, 4 * 64 * 4);  // two of two in an all-reduce: each sends it once
  EXPECT_GT(step->seconds(), 0);
  EXPECT_EQ(cost::CostOf(device->found.collectives[0], *machine).formula,
            "line of 2: 2 steps, 1024 bytes on the busiest link");
}

TEST_F(CostExamples, StepCost) {
  absl::StatusOr<Machine> m = ReadMachine("tpu-v5e:4x4", std::nullopt, 16);
  EXPECT_EQ(m->places[5].ToString(), "[1, 1]");
  const auto machine = ReadMachine("tpu-v5e:4x2", mesh, 8);
  const sharding::reference::Reference reference;
  absl::StatusOr<StepCost> c = CostOfStep(module, &*machine, reference.behaviors);
  ASSERT_TRUE(c.ok()) << c.status();
  EXPECT_EQ(c->sent, 1024);
}

TEST_F(CostExamples, Payload) {
  const auto found = FindCollectives(module, behaviors);
  std::optional<Payload> p = PayloadOf(found->collectives[0]);
  EXPECT_EQ(p->bytes, 1024);
  EXPECT_EQ(*SentBytes(*p), 1024);
  EXPECT_EQ(SentFormula(*p), "2 (n-1)/n V, n = 2, V = 1 KiB");
  EXPECT_EQ(*SentInStep(module, *found), 1024);
}

TEST(HeaderExamples, Boundary) {
  const hlo::Module device = *hlo::ParseModule(R"(ENTRY e {
    x = f32[4,8] parameter(0)
    ROOT t = (f32[4,8]) tuple(x)
  })");
  DeviceMemory memory;
  ASSERT_TRUE(AddArguments(device, &memory).ok());
  ASSERT_TRUE(AddResults(device, &memory).ok());
  EXPECT_EQ(memory.arguments, 128);
  EXPECT_EQ(memory.argument_list[0].name, "x");
  EXPECT_EQ(memory.results, 128 + 8);
  EXPECT_EQ(memory.aliased, 0);
}

TEST_F(CostExamples, LoopRuns) {
  const auto found = FindCollectives(module, behaviors);
  LoopRuns runs(module, *found);
  const auto count = runs.Of(found->collectives[0].body);
  EXPECT_EQ(count->runs, 1);
  EXPECT_TRUE(count->known);
}

TEST_F(CostExamples, DeviceWork) {
  const auto text = [](const char* module) { return *hlo::ParseModule(module); };
  const hlo::Module module = text(R"(ENTRY e {
    x = bf16[64,256] parameter(0)
    w = bf16[256,128] parameter(1)
    ROOT y = bf16[64,128] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  })");
  const Fused fused = FusedInstructions(module);
  projection::Device machine;
  machine.set_hbm_bytes_per_s(1e9);
  auto* peak = machine.add_peak();
  peak->set_dtype("bf16");
  peak->set_flops_per_s(1e12);
  std::vector<Unpriced> unpriced;
  DeviceWork w = *WorkOf(module, fused, machine, &unpriced);
  EXPECT_TRUE(unpriced.empty());
  EXPECT_EQ(w.flops, 2 * 64 * 256 * 128);
  EXPECT_EQ(w.bytes, 114688);
  EXPECT_DOUBLE_EQ(w.seconds, 114688 / 1e9);
}

TEST(HeaderExamples, ContractionRate) {
  const hlo::Module module = *hlo::ParseModule(
      "ENTRY e { x = f32[8,8] parameter(0)\n ROOT d = f32[8,8] dot(x, x), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,highest} }");
  projection::Device tpu;
  auto* peak = tpu.add_peak();
  peak->set_dtype("bf16");
  peak->set_flops_per_s(6e12);
  EXPECT_DOUBLE_EQ(FlopsPerSecond(module, module.FindInstruction("d"), tpu), 1e12);
}

TEST(HeaderExamples, TiledLayouts) {
  hlo::Module device = *hlo::ParseModule("ENTRY e { ROOT x = f32[1024,8] parameter(0) }");
  const hlo::InstructionId x = device.FindInstruction("x");
  const layout::TileRules rules = *layout::NamedTileRules("tpu");
  TileForHardware(rules, &device);
  EXPECT_EQ(layout::ShapeToString(device.shape(x)), "f32[1024,8]{1,0:T(8,128)}");
  const std::optional<LayoutAdvice> better = BetterLayout(device.shape(x), rules);
  EXPECT_EQ(layout::ShapeToString(better->shape), "f32[1024,8]{0,1:T(8,128)}");
  EXPECT_EQ(better->bytes, 32 << 10);
}

TEST(HeaderExamples, OpaqueCalls) {
  hlo::Module module = *hlo::ParseModule(R"(HloModule m, num_partitions=4
ENTRY e {
  a = f32[8,4] parameter(0), sharding={devices=[4,1]<=[4]}
  ROOT r = f32[8,4] custom-call(a), custom_call_target="CustomSPMDPartitioning", sharding={devices=[4,1]<=[4]}
})");
  absl::StatusOr<int64_t> opaque = LetCallsDecide(&module);
  ASSERT_TRUE(opaque.ok()) << opaque.status();
  EXPECT_EQ(*opaque, 1);
}

// A variant that takes so much memory and so much time.
StepCost Variant(int64_t memory, double seconds) {
  StepCost cost;
  cost.memory = memory;
  cost.device_s = seconds;
  return cost;
}

TEST(HeaderExamples, Ranking) {
  Outcomes outcomes = {Variant(9, 3), absl::InternalError("no sharding"), Variant(1, 4),
                       Variant(5, 2)};
  EXPECT_THAT(Ranked(outcomes, By::kTime, 16LL << 30), ElementsAre(3, 0, 2));
  EXPECT_THAT(ParetoFront(outcomes), ElementsAre(3, 2));
}

TEST(HeaderExamples, Parallel) {
  std::vector<size_t> costs(1000);
  ForEachIndex(1000, NumCores(), [&](size_t k) { costs[k] = 2 * k; });
  EXPECT_EQ(costs[999], 1998u);
}

TEST(HeaderExamples, Descent) {
  // One group with three choices; from 0 to 1 or 2.
  const Space space = {1, [](size_t, Choice at) {
                         return at == 0 ? std::vector<Choice>{1, 2} : std::vector<Choice>{0};
                       }};
  const SearchOptions options;
  SearchResult r = Search(space, {{0}}, options, [&](const std::vector<Point>& points) {
    Outcomes costs;
    for (const Point& point : points) costs.push_back(Variant(1, 10 - point[0]));
    return costs;
  });
  EXPECT_THAT(r.points[r.best], ElementsAre(2));
  EXPECT_EQ(r.outcomes[r.best]->device_s, 8);
}

}  // namespace
}  // namespace tessera::cost
