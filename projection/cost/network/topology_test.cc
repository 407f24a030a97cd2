#include "tessera/projection/cost/network/topology.h"

#include "gtest/gtest.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/network/collective_time.h"
#include "tessera/projection/cost/network/network.h"
#include "tessera/testing/projection/topology_text.h"
#include "tessera/testing/projection/torus_gathers.h"

namespace tessera::projection {
namespace {

constexpr char kFile[] = R"(
name: "lab"
axis { name: "X" size: 4 wrap: true link_bytes_per_s: 1e9 alpha_s: 1e-6 }
axis { name: "Y" size: 8 wrap: false link_bytes_per_s: 1e9 }
mesh_axis { name: "model" on: "X" }
mesh_axis { name: "data" on: "Y" }
device { hbm_bytes: 1000 peak { dtype: "bf16" flops_per_s: 1e12 } }
)";

struct PresetRow {
  const char* text;
  std::vector<bool> wrap;
  double link;    // of one device
  double memory;  // in GiB
};

TEST(TopologyTest, PresetsWrapWhereTheyHaveTheLinks) {
  const std::vector<PresetRow> rows = {
      {"tpu-v3:32x32", {true, true}, 5e10, 15.48},
      {"tpu-v4:4x4x8", {true, true, true}, 4.5e10, 30.75},
      {"tpu-v5e:16x8", {true, false}, 4.5e10, 15.75},
      {"tpu-v5p:2x4x12", {false, true, true}, 9e10, 95.73},
      {"tpu-v6e:4x4", {false, false}, 9e10, 31.24},
      {"tpu7x:4x4x6", {true, true, false}, 4.5e10, 94.74},
  };
  for (const PresetRow& row : rows) {
    const absl::StatusOr<Topology> t = TopologyOf(row.text);
    ASSERT_TRUE(t.ok()) << row.text << t.status();
    ASSERT_GE(t->axis_size(), static_cast<int>(row.wrap.size())) << row.text;
    for (size_t a = 0; a < row.wrap.size(); ++a) {
      EXPECT_EQ(t->axis(static_cast<int>(a)).wrap(), row.wrap[a]) << row.text;
      EXPECT_EQ(t->axis(static_cast<int>(a)).link_bytes_per_s(), row.link) << row.text;
    }
    EXPECT_FALSE(t->source().empty());
    EXPECT_NEAR(static_cast<double>(t->device().hbm_bytes()) / (1 << 30), row.memory, 1e-6);
    EXPECT_GT(t->device().hbm_bytes_per_s(), 0);
    EXPECT_EQ(t->device().peak(0).dtype(), "bf16");
  }
  // Switches of NVLink that add, since the H100; arithmetic and memory.
  for (const char* name : {"a100-sxm", "h100-sxm:8", "b200", "gb200-nvl72"}) {
    const absl::StatusOr<Topology> t = TopologyOf(name);
    ASSERT_TRUE(t.ok()) << name << t.status();
    EXPECT_GE(t->level(0).devices(), 8);
    EXPECT_EQ(t->level(0).kind() == SwitchLevel::REDUCING_SWITCH, std::string(name) != "a100-sxm");
    EXPECT_GT(t->device().hbm_bytes(), 80e9);
    EXPECT_GT(t->device().hbm_bytes_per_s(), 2e12);
    EXPECT_GT(t->device().peak(0).flops_per_s(), 3e14);
  }
  EXPECT_EQ(TopologyOf("h100-infiniband:8x4")->level(1).devices(), 32);
  EXPECT_EQ(ErrorCodeOf(TopologyOf("tpu-v9").status()), ErrorCode::kNotSupported);
  EXPECT_EQ(ErrorCodeOf(TopologyOf("tpu-v5p:4x4").status()), ErrorCode::kBadShape);
}

// A chip of v3 and of TPU7x is two devices, which stand next to each
// other.
TEST(TopologyTest, PresetsAreOfDevices) {
  for (const char* name : {"tpu-v3:2x2", "tpu7x:2x2x1"}) {
    const Topology t = *TopologyOf(name);
    int64_t devices = 1;
    for (const PhysicalAxis& axis : t.axis()) devices *= axis.size();
    EXPECT_EQ(devices, 8) << name;
    EXPECT_EQ(t.axis(t.axis_size() - 1).name(), "chip");
    EXPECT_EQ(t.axis(t.axis_size() - 1).size(), 2);
  }
  EXPECT_DOUBLE_EQ(TopologyOf("tpu7x:1x1x1")->device().hbm_bytes_per_s(), 3.69e12);
  EXPECT_DOUBLE_EQ(TopologyOf("tpu-v3:1x1")->device().peak(0).flops_per_s(), 61.5e12);
  // Between the devices of a TPU7x chip, and to the next chip, which is twelve times as slow.
  const Topology t = *TopologyOf("tpu7x:4x1x1");
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  const AxisPlace all = {{0, 1, 2, 3}, 1};
  EXPECT_DOUBLE_EQ(*PricePermute(t, all, 8, Pairs{{0, 1}}, 5400)->seconds, 1e-8);
  EXPECT_DOUBLE_EQ(*PricePermute(t, all, 8, Pairs{{0, 2}}, 5400)->seconds, 1.2e-7);
  // The link between the cores of a v3 chip is not public.
  EXPECT_FALSE(PricePermute(*TopologyOf("tpu-v3:1x1"), {{0, 1, 2}, 1}, 2, Pairs{{0, 1}}, 1)
                   ->seconds.has_value());
}

TEST(NetworkTest, Switches) {
  EXPECT_EQ(ThroughSwitch(CollectiveKind::kAllGather, false, 8, 800, 4)->busiest_link_bytes, 700);
  EXPECT_EQ(ThroughSwitch(CollectiveKind::kAllReduce, true, 8, 800, 4)->steps, 2);
  EXPECT_EQ(ThroughSwitch(CollectiveKind::kAllReduce, true, 8, 800, 4)->busiest_link_bytes, 800);
  EXPECT_DOUBLE_EQ(Seconds({3, 1000}, {1e-6, 1e9}), 4e-6);
}

TEST(NetworkTest, TwoLevels) {
  const std::vector<LevelPhase> phases = *HierarchicalPhases(CollectiveKind::kAllReduce, 8, 4, 800);
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_EQ(phases[1].bytes, 100);
  EXPECT_EQ(phases[1].devices, 4);
  EXPECT_FALSE((*HierarchicalPhases(CollectiveKind::kAllGather, 8, 4, 800))[0].inside);
  // The mirror image.
  const auto scatter = *HierarchicalPhases(CollectiveKind::kReduceScatter, 8, 4, 800);
  ASSERT_EQ(scatter.size(), 2u);
  EXPECT_TRUE(scatter[0].inside);
  EXPECT_EQ(scatter[0].bytes, 800);
  EXPECT_EQ(scatter[1].bytes, 100);
  EXPECT_EQ(scatter[1].devices, 4);
  EXPECT_EQ(ErrorCodeOf(HierarchicalPhases(CollectiveKind::kPermute, 8, 4, 8).status()),
            ErrorCode::kNotSupported);
}

TEST(NetworkTest, MeshAxesOnRingsLinesAndParts) {
  const Topology t = TopologyFromText(kFile);
  const auto cost = [&](const AxisPlace& place, int64_t devices) {
    return *PriceOnAxis(CollectiveKind::kAllGather, t, place, devices, 100 * devices, 4);
  };
  const NetworkCost ring = cost({{0}, 1}, 4);  // both ways round: 2 steps
  EXPECT_EQ(ring.use.busiest_link_bytes, 200);
  EXPECT_DOUBLE_EQ(*ring.seconds, 2e-6 + 200e-9);
  EXPECT_EQ(cost({{1}, 1}, 8).use.busiest_link_bytes, 700);  // a line
  EXPECT_EQ(cost({{1}, 2}, 4).use.busiest_link_bytes, 600);  // every second device: twice
  // Both at once: 31 shards through the two links of the ring and the one of the
  // line.
  const NetworkCost both = cost({{0, 1}, 1}, 32);
  EXPECT_EQ(both.use.steps, 2 + 7);
  EXPECT_EQ(both.use.busiest_link_bytes, (31 * 100 + 2) / 3);
  EXPECT_DOUBLE_EQ(*both.seconds, 2e-6 + 31 * 100 / 3e9);
}

// On wrapped axes of one speed the figure that nothing can beat; a part of the
// machine that is slower than the whole decides.
TEST(NetworkTest, AllAxesOfATorusAtOnce) {
  const auto seconds = [](const std::string& axes, CollectiveKind kind, int64_t bytes) {
    const Topology t = TopologyFromText("name: \"t\" " + axes);
    AxisPlace place;
    int64_t devices = 1;
    for (int a = 0; a < t.axis_size(); ++a) {
      place.axes.push_back(a);
      devices *= t.axis(a).size();
    }
    return *PriceOnAxis(kind, t, place, devices, bytes, 4)->seconds;
  };
  const std::string ring = "axis { size: 16 wrap: true link_bytes_per_s: 45e9 } ";
  const int64_t bytes = int64_t{1} << 27;
  EXPECT_DOUBLE_EQ(seconds(ring + ring, CollectiveKind::kAllGather, bytes),
                   TorusAllGatherBound({16, 16}, bytes / 256) / 45e9);
  EXPECT_DOUBLE_EQ(seconds(ring + ring + ring, CollectiveKind::kReduceScatter, bytes),
                   TorusAllGatherBound({16, 16, 16}, bytes / 4096) / 45e9);
  EXPECT_DOUBLE_EQ(seconds(ring + ring, CollectiveKind::kAllReduce, bytes),
                   2 * TorusAllGatherBound({16, 16}, bytes / 256) / 45e9);
  // The ring of 16 alone is slower than with the fast pair beside it.
  const std::string pair = "axis { size: 2 link_bytes_per_s: 600e9 } ";
  EXPECT_DOUBLE_EQ(seconds(ring + pair, CollectiveKind::kAllGather, 3200), 15 * 100 / 90e9);
  // Of an all-to-all each axis carries its part: a pair of devices along the ring exchanges a 16th,
  // 64 of them cross the busiest link in halves.
  EXPECT_DOUBLE_EQ(seconds(ring + ring, CollectiveKind::kAllToAll, 1600), 100 * 32 / 45e9);
}

// Every pair of devices exchanges 6 bytes, each message routed: the busiest links of the phases
// carry as much. Odd rings, so that no way round is as long as the other.
TEST(NetworkTest, AllToAllOverSeveralAxesMessageByMessage) {
  const Topology t = TopologyFromText(
      "name: \"t\" axis { name: \"X\" size: 3 wrap: true link_bytes_per_s: 1e9 }"
      "axis { name: \"Y\" size: 4 link_bytes_per_s: 1e9 }"
      "axis { name: \"Z\" size: 5 wrap: true link_bytes_per_s: 1e9 }");
  const int64_t pair = 6;
  for (const std::vector<int>& axes : std::vector<std::vector<int>>{{0, 1}, {0, 2}, {0, 1, 2}}) {
    Torus torus;
    int64_t n = 1;
    for (int a : axes) {
      torus.sizes.push_back(t.axis(a).size());
      torus.wrap.push_back(t.axis(a).wrap());
      n *= t.axis(a).size();
    }
    std::vector<Message> messages;
    for (int64_t from = 0; from < n; ++from) {
      for (int64_t to = 0; to < n; ++to) messages.push_back({from, to, pair});
    }
    const NetworkCost cost = *PriceOnAxis(CollectiveKind::kAllToAll, t, {axes, 1}, n, pair * n, 1);
    EXPECT_EQ(cost.use.busiest_link_bytes, RouteMessages(torus, messages)->busiest_link_bytes);
    EXPECT_TRUE(cost.seconds.has_value());
  }
}

TEST(NetworkTest, PermutesByTheirRoutes) {
  const Topology t = TopologyFromText(kFile);
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  const auto use = [&](const AxisPlace& place, int64_t devices, const Pairs& pairs) {
    return PricePermute(t, place, devices, pairs, 100)->use;
  };
  const LinkUse shift = use({{0}, 1}, 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});  // round the ring
  EXPECT_EQ(shift.steps, 1);
  EXPECT_EQ(shift.busiest_link_bytes, 100);
  const LinkUse back = use({{1}, 1}, 8, {{0, 1}, {7, 0}});  // a line has one way
  EXPECT_EQ(back.steps, 7);
  const LinkUse strided = use({{1}, 2}, 4, {{0, 1}});  // both groups, two links each
  EXPECT_EQ(strided.steps, 2);
  EXPECT_EQ(strided.busiest_link_bytes, 200);
  const LinkUse corner = use({{0, 1}, 1}, 32, {{0, 9}});  // (0, 0) to (1, 1)
  EXPECT_EQ(corner.steps, 2);
  EXPECT_EQ(ErrorCodeOf(PricePermute(t, {{0}, 1}, 4, Pairs{{0, 4}}, 1).status()),
            ErrorCode::kBadDim);
  const Topology h100 = *TopologyOf("h100-sxm");
  EXPECT_EQ(PricePermute(h100, {{}, 1}, 8, Pairs{{0, 1}}, 100)->use.busiest_link_bytes, 100);
  EXPECT_EQ(PricePermute(h100, {{}, 1}, 8, Pairs{{1, 1}}, 100)->use.busiest_link_bytes, 0);
}

}  // namespace
}  // namespace tessera::projection
