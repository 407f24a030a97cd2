// The examples at the head of the public headers, as they stand there: each compiles, and gives
// what its comment says.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/projection/cost/compute/scalar_values.h"
#include "tessera/projection/cost/compute/totals.h"
#include "tessera/projection/cost/compute/traffic.h"
#include "tessera/projection/cost/compute/trip_count.h"
#include "tessera/projection/cost/compute/work.h"
#include "tessera/projection/cost/demand/device_tiles.h"
#include "tessera/projection/cost/demand/missing.h"
#include "tessera/projection/cost/demand/reduction_strategies.h"
#include "tessera/projection/cost/memory/aliased_outputs.h"
#include "tessera/projection/cost/memory/entry_aliases.h"
#include "tessera/projection/cost/memory/liveness.h"
#include "tessera/projection/cost/memory/memory_program.h"
#include "tessera/projection/cost/memory/memory_steps.h"
#include "tessera/projection/cost/memory/peak_memory.h"
#include "tessera/projection/cost/network/collective_bytes.h"
#include "tessera/projection/cost/network/collective_time.h"
#include "tessera/projection/cost/network/network.h"
#include "tessera/projection/cost/network/topology.h"
#include "tessera/projection/cost/network/torus_network.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/sharding/device_tiles.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/testing/projection/topology_text.h"
#include "tessera/testing/projection/xla_cost.h"

namespace tessera::projection {
namespace {

using ::testing::ElementsAre;

constexpr char kProduct[] = R"(ENTRY e {
  x = f32[512,256] parameter(0)
  w = f32[256,128] parameter(1)
  ROOT y = f32[512,128] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})";

class OfAProduct : public ::testing::Test {
 protected:
  const hlo::Module module = *hlo::ParseModule(kProduct);
  const hlo::InstructionId id = module.entry().root;
};

TEST_F(OfAProduct, Compute) {
  const ZRange block = *ZRange::Parse("zr[0:64, 0:128]");
  EXPECT_EQ(OperationsOfBlock(module, id, block)->flops, 2 * 64 * 128 * 256);

  absl::StatusOr<Traffic> traffic = TrafficOf(module, id, CostMode::kExact);
  EXPECT_EQ(traffic->total, 4 * (512 * 256 + 256 * 128 + 512 * 128));

  absl::StatusOr<Totals> t = TotalsOf(module, module.entry_id());
  EXPECT_EQ(t->flops, 2 * 512 * 128 * 256);
  EXPECT_EQ(t->bytes, traffic->total);
  EXPECT_TRUE(t->unknown.empty());

  absl::StatusOr<XlaCost> c = XlaCostOf(module, module.entry_id());
  EXPECT_EQ(c->flops, 2.f * 512 * 128 * 256);
  EXPECT_EQ(c->operand_bytes[1], 4.f * 256 * 128);
}

TEST_F(OfAProduct, Memory) {
  absl::StatusOr<MemoryReport> r = PeakMemory(module, {});
  EXPECT_EQ(r->profile.peak, 4 * (512 * 256 + 256 * 128 + 512 * 128));
  EXPECT_EQ(NameOf(module, r->values[2]), "y");
}

TEST_F(OfAProduct, Demand) {
  sharding::MeshTable meshes;
  (void)*meshes.Add("mesh", *sharding::Mesh::Create({{"x", 4}, {"y", 2}}));
  const sharding::DeviceGrid grid(meshes.mesh(0));
  const auto parse = [&](const char* text) { return *sharding::ParseSharding(text, meshes); };
  const sharding::TensorSharding sharding = parse("<@mesh, [{\"x\"}, {\"y\"}]>");
  EXPECT_EQ(*TileBox(grid, {16, 8}, sharding, 3), *ZRange::Parse("zr[4:8, 4:8]"));

  const sharding::TensorSharding lhs = parse("<@mesh, [{\"x\"}, {\"y\"}]>");
  const sharding::TensorSharding rhs = parse("<@mesh, [{\"y\"}, {}]>");
  const sharding::TensorSharding rows = parse("<@mesh, [{\"x\"}, {}]>");
  const sharding::TensorSharding* const operands[] = {&lhs, &rhs};
  const sharding::TensorSharding* result = &rows;
  const int64_t bits[] = {32, 32};
  const Signature signature = *SignatureOf(module, id);
  absl::StatusOr<OpDemand> d = DemandOf(signature, bits, grid, operands, result);
  // Every device lacks one half of its rows of x and one half of w.
  EXPECT_EQ(d->total_bytes, 8 * 4 * (128 * 128 + 128 * 128));
  EXPECT_EQ(*d->classes[0].operands[1].missing.size(), 128 * 128);

  const int leaf = 0;
  absl::StatusOr<ReductionStrategies> f = FormsOf(module, id, leaf, grid, operands, result);
  ASSERT_TRUE(f->partial.has_value());
  EXPECT_EQ(f->partial->combine_bytes, 8 * 128 * 128 * 4);
}

TEST(HeaderExamples, Loops) {
  const hlo::Module module = *hlo::ParseModule(R"(
body { p = (s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT t = (s32[]) tuple(next) }
cond { p = (s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  ten = s32[] constant(10)
  ROOT less = pred[] compare(i, ten), direction=LT }
ENTRY e { zero = s32[] constant(0)
  start = (s32[]) tuple(zero)
  ROOT loop = (s32[]) while(start), condition=cond, body=body })");
  const hlo::InstructionId loop = module.FindInstruction("loop");
  EXPECT_EQ(TripCount(module, loop), 10);
  const ScalarValues::Tuple carried = {3, std::nullopt};
  ScalarValues values(module, carried);
  EXPECT_EQ(values.Get(module.FindInstruction("next")), 4);
}

TEST(HeaderExamples, Liveness) {
  Program p;
  p.parameters = {100};
  p.order = {{100, {0}, BufferKind::kNew}, {100, {1}, BufferKind::kNew}};
  p.outputs = {2};
  EXPECT_EQ(ProfileOf(p, {})->peak, 300);
}

TEST(HeaderExamples, CollectivesOnRings) {
  const CollectiveTraffic traffic = *PriceCollective(CollectiveKind::kAllReduce, 1024, 4, 4);
  EXPECT_EQ(traffic.sent, 1536);
  EXPECT_EQ(traffic.adds, 192);
  RingTraffic t = *RingCollective(CollectiveKind::kAllGather, {8, true, true}, 1024);
  EXPECT_EQ(t.steps, 4);
  EXPECT_EQ(t.busiest_link_bytes, 4096);
}

TEST(HeaderExamples, Topology) {
  absl::StatusOr<Topology> v5p = TopologyOf("tpu-v5p:4x4x8");
  EXPECT_EQ(v5p->axis_size(), 3);
}

TEST(HeaderExamples, Network) {
  LinkUse use = *ThroughSwitch(CollectiveKind::kAllGather, false, 8, 1 << 20, 4);
  EXPECT_EQ(use.steps, 1);
  EXPECT_EQ(use.busiest_link_bytes, 7 << 17);
  EXPECT_DOUBLE_EQ(Seconds(use, {1e-6, 4.5e10}), 1e-6 + (7 << 17) / 4.5e10);

  const Topology topology = TopologyFromText(
      "name: \"lab\" axis { name: \"X\" size: 4 wrap: true } axis { name: \"Y\" size: 8 }");
  const AxisPlace place = {{0, 1}, 1};
  const int64_t devices = 32, bytes = 32 * 32, element_bytes = 4;
  absl::StatusOr<NetworkCost> cost =
      PriceOnAxis(CollectiveKind::kAllGather, topology, place, devices, bytes, element_bytes);
  EXPECT_FALSE(cost->seconds.has_value());
  cost = PriceOnTorus(CollectiveKind::kAllToAll, topology, place, 32, bytes);
  EXPECT_EQ(cost->formula,
            "ring of 4 and line of 8 at once: 9 steps, 2048 bytes on the busiest link");
}

TEST(HeaderExamples, AliasedOutputs) {
  Program body;
  body.parameters = {100, 100};
  body.order = {{100, {0}, BufferKind::kNew, 0}};
  body.outputs = {1, 2};
  EXPECT_EQ(AliasOutputs({{0, 0}, {1, 1}}, &body), (std::vector<int>{0, 0}));
  EXPECT_EQ(body.order.size(), 3u);
}

TEST(HeaderExamples, MemoryOfAModule) {
  const hlo::Module module = *hlo::ParseModule(
      "HloModule m, input_output_alias={ {1}: (0, {}, may-alias) }, buffer_donor={ (1, {}) }\n"
      "ENTRY e { p = f32[2] parameter(0)\n q = f32[2] parameter(1)\n dead = f32[2] sine(q)\n"
      " n = f32[2] negate(p)\n ROOT t = (f32[2], f32[2]) tuple(q, n) }");
  using Pairs = std::vector<std::pair<int, int>>;
  const absl::StatusOr<Pairs> pairs = EntryAliases(module);
  EXPECT_EQ(*pairs, (Pairs{{1, 0}, {0, 1}}));
  ExecutionOrder order(module);
  EXPECT_EQ(order.Of(module.entry_id()).size(), 4u);  // without the sine
  const MemoryOptions options;
  MemoryPrograms programs(module, options);
  std::vector<ArrayOf> arrays;
  const absl::StatusOr<Program> p = programs.Of(module.entry_id(), Role::kEntry, &arrays);
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_EQ(arrays.size(), p->parameters.size() + p->order.size());
  EXPECT_EQ(programs.constants(), 0);
}

}  // namespace
}  // namespace tessera::projection
