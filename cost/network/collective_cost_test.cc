#include "tessera/cost/network/collective_cost.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/layout/shape_text.h"

namespace tessera::cost {
namespace {

using sharding::partition::Collective;
using ::testing::HasSubstr;

sharding::Mesh MeshOf(std::vector<sharding::MeshAxis> axes) {
  return *sharding::Mesh::Create(std::move(axes));
}

// f32[256], 1 KiB, on each device.
Collective Make(hlo::Opcode opcode, std::vector<std::vector<int64_t>> groups) {
  Collective c;
  c.opcode = opcode;
  c.shape = *layout::ParseShape("f32[256]");
  c.operands = {c.shape};
  c.groups = std::move(groups);
  return c;
}

std::string File(const std::string& text) {
  const std::string path = ::testing::TempDir() + "/collective_cost_test.textproto";
  std::ofstream(path) << text;
  return path;
}

absl::StatusOr<Machine> Lab(const std::string& text,
                            const sharding::Mesh& mesh = MeshOf({{"data", 4}, {"model", 2}})) {
  return ReadMachine(File(text), mesh, mesh.num_devices());
}

std::string ErrorOf(const absl::StatusOr<Machine>& machine) {
  return machine.ok() ? "no error" : std::string(machine.status().message());
}

constexpr char kLab[] =
    "name: \"lab\"\n"
    "axis { name: \"X\" size: 4 wrap: true link_bytes_per_s: 1e9 alpha_s: 1e-6 }\n"
    "axis { name: \"Y\" size: 2 link_bytes_per_s: 1e9 }\n";

TEST(PayloadTest, WhatEachDeviceSends) {
  const auto sent = [](hlo::Opcode opcode) {
    return *SentBytes(*PayloadOf(Make(opcode, {{0, 1, 2, 3}})));
  };
  EXPECT_EQ(sent(hlo::Opcode::kAllReduce), 2 * 768);
  EXPECT_EQ(sent(hlo::Opcode::kAllGather), 768);
  EXPECT_EQ(sent(hlo::Opcode::kAllToAll), 768);
  EXPECT_EQ(SentFormula(*PayloadOf(Make(hlo::Opcode::kAllReduce, {{0, 1, 2, 3}}))),
            "2 (n-1)/n V, n = 4, V = 1 KiB");
  Collective scalar = Make(hlo::Opcode::kAllReduce, {{0, 1, 2, 3}});
  scalar.shape = *layout::ParseShape("f32[]");
  scalar.operands = {scalar.shape};
  EXPECT_EQ(*SentBytes(*PayloadOf(scalar)), 8);
  EXPECT_EQ(SentFormula(*PayloadOf(scalar)),
            "2 (n-1)/n V, n = 4, V = 4 B, parts of whole elements");
}

// What a device sends to itself crosses no link.
TEST(PayloadTest, PairsOfOneDevice) {
  Collective permute = Make(hlo::Opcode::kCollectivePermute, {});
  permute.pairs = {{0, 0}, {1, 1}};
  EXPECT_EQ(*SentBytes(*PayloadOf(permute)), 0);
  EXPECT_EQ(SentFormula(*PayloadOf(permute)), "nothing");
  permute.pairs = {{0, 0}, {1, 2}, {2, 1}};
  EXPECT_EQ(*SentBytes(*PayloadOf(permute)), 1024);
  EXPECT_EQ(SentFormula(*PayloadOf(permute)), "V = 1 KiB");
}

TEST(MachineTest, DevicesStandRowMajor) {
  const auto machine = Lab(kLab);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ(machine->places[5].ToString(), "[2, 1]");
}

TEST(MachineTest, AFileMaySayWhichAxesLieWhere) {
  const auto machine = Lab(std::string(kLab) + "mesh_axis { name: \"model\" on: \"Y\" }\n" +
                           "mesh_axis { name: \"data\" on: \"X\" }\n");
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ(machine->places[5].ToString(), "[2, 1]");
  const auto turned =
      Lab("name: \"lab\" axis { name: \"Y\" size: 2 } axis { name: \"X\" size: 4 }\n"
          "mesh_axis { name: \"model\" on: \"Y\" } mesh_axis { name: \"data\" on: \"X\" }\n");
  ASSERT_TRUE(turned.ok()) << turned.status();
  EXPECT_EQ(turned->places[5].ToString(), "[1, 2]");
}

TEST(MachineTest, MistakesHaveAPlace) {
  struct Case {
    const char* lines;  // after kLab
    const char* error;
  };
  for (const Case& c : {
           Case{"axis { size: 4 }", ":2:1: error: the axes have 32 devices, the program has 8"},
           Case{"axis { sise: 4 }", ":4:"},
           Case{"axis { size: 0 }", ":4:1: error: an axis without devices"},
           Case{"mesh_axis { name: \"rows\" on: \"X\" }",
                ":4:1: error: 'rows' is not an axis of the mesh data=4,model=2"},
           Case{"mesh_axis { name: \"data\" on: \"Z\" }",
                ":4:1: error: the machine has no axis 'Z'"},
           Case{"mesh_axis { name: \"data\" on: \"Y\" }",
                ":4:1: error: 'data' has 4 devices, Y has 2"},
           Case{"mesh_axis { name: \"data\" on: \"X\" }",
                ":4:1: error: nothing says where axis 'model' of the mesh lies"},
           Case{"mesh_axis { name: \"data\" on: \"X\" }\nmesh_axis { name: \"model\" on: \"X\" }",
                ":5:1: error: axis 'X' is taken already"},
       }) {
    const std::string error = ErrorOf(Lab(std::string(kLab) + c.lines + "\n"));
    EXPECT_THAT(error, HasSubstr(c.error));
    EXPECT_THAT(error, HasSubstr("^")) << error;
  }
}

TEST(MachineTest, Presets) {
  EXPECT_THAT(
      ErrorOf(ReadMachine("tpu-v9:4x4", std::nullopt, 16)),
      HasSubstr(
          "--target=tpu-v9:4x4: no preset 'tpu-v9', did you mean 'tpu-v3'?; there are tpu-v3, "));
  EXPECT_THAT(ErrorOf(ReadMachine("tpu-v5e:4x4", std::nullopt, 8)),
              HasSubstr("--target=tpu-v5e:4x4: the axes have 16 devices, the program has 8"));
  EXPECT_THAT(ErrorOf(ReadMachine("h100-sxm", std::nullopt, 16)),
              HasSubstr("the outermost switch joins 8 devices, the program has 16"));
  EXPECT_TRUE(ReadMachine("h100-infiniband:8x2", std::nullopt, 16).ok());
  EXPECT_THAT(ErrorOf(ReadMachine("/nowhere.textproto", std::nullopt, 16)), HasSubstr("nowhere"));
}

TEST(CollectiveCostTest, ARingOfATorus) {
  const Machine machine = *Lab(kLab);
  // Along X, a ring of 4 with every second device: two groups share the links of each.
  const CollectiveCost gather =
      CostOf(Make(hlo::Opcode::kAllGather, {{0, 2, 4, 6}, {1, 3, 5, 7}}), machine);
  ASSERT_TRUE(gather.seconds.has_value()) << gather.why_unknown;
  // 2 steps, 2 * 256 bytes on each link: the shard goes both ways round.
  EXPECT_NEAR(*gather.seconds, 2e-6 + 512 / 1e9, 1e-12) << gather.formula;
  // Along Y, a line of 2.
  const CollectiveCost pair =
      CostOf(Make(hlo::Opcode::kAllGather, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}), machine);
  EXPECT_NEAR(*pair.seconds, 512 / 1e9, 1e-12) << pair.formula;
}

TEST(CollectiveCostTest, AllAxesOfATorusAtOnce) {
  const Machine machine = *Lab(kLab);
  const std::vector<std::vector<int64_t>> all = {{0, 1, 2, 3, 4, 5, 6, 7}};
  const CollectiveCost gather = CostOf(Make(hlo::Opcode::kAllGather, all), machine);
  // Seven shards of 128 bytes, over the two links of the ring and the one of the line.
  EXPECT_NEAR(*gather.seconds, 2e-6 + 7 * 128 / 3e9, 1e-12) << gather.formula;
  const CollectiveCost reduce = CostOf(Make(hlo::Opcode::kAllReduce, all), machine);
  EXPECT_NEAR(*reduce.seconds, 2 * *gather.seconds, 1e-12) << reduce.formula;
}

// The part of a scalar for each device is less than a byte; whole elements are sent.
TEST(CollectiveCostTest, AScalarIsNotForNothing) {
  const Machine machine =
      *ReadMachine(File("name: \"t\" axis { size: 4 wrap: true link_bytes_per_s: 1e9 }"
                        "axis { size: 4 wrap: true link_bytes_per_s: 1e9 }"),
                   std::nullopt, 16);
  Collective c =
      Make(hlo::Opcode::kAllReduce, {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}});
  c.shape = *layout::ParseShape("f32[]");
  c.operands = {c.shape};
  EXPECT_NEAR(*CostOf(c, machine).seconds, 2 * 15 / 4e9, 1e-15);
  EXPECT_EQ(*SentBytes(*PayloadOf(c)), 8);  // 30 messages of 4 bytes from 16 devices
}

TEST(CollectiveCostTest, APermuteTakesItsRoutes) {
  const Machine machine = *Lab(kLab);
  Collective c = Make(hlo::Opcode::kCollectivePermute, {});
  c.pairs = {{0, 2}, {2, 4}, {4, 6}, {6, 0}};
  EXPECT_NEAR(*CostOf(c, machine).seconds, 1e-6 + 1024 / 1e9, 1e-12);
}

// Slices of 2 x 4, whose chips have 3.125 GB/s of the network.
TEST(CollectiveCostTest, SlicesAreJoinedByTheNetwork) {
  const Machine machine = *MachineOf(*target::ParseTarget("tpu-v5e:2x4:slices=2"));
  EXPECT_EQ(machine.torus_devices(), 8);
  const Collective across = Make(hlo::Opcode::kAllReduce, {{0, 8}, {1, 9}});
  EXPECT_TRUE(LeavesTorus(across, machine));
  EXPECT_NEAR(*CostOf(across, machine).seconds, 1e-5 + 1024 / 3.125e9, 1e-12)
      << CostOf(across, machine).formula;
  const Collective inside = Make(hlo::Opcode::kAllReduce, {{0, 1}, {8, 9}});
  EXPECT_FALSE(LeavesTorus(inside, machine));
  const Machine slice = *MachineOf(*target::ParseTarget("tpu-v5e:2x4"));
  EXPECT_EQ(*CostOf(inside, machine).seconds,
            *CostOf(Make(hlo::Opcode::kAllReduce, {{0, 1}}), slice).seconds);
  Collective permute = Make(hlo::Opcode::kCollectivePermute, {});
  permute.pairs = {{0, 1}, {8, 9}};
  Collective of_one = permute;
  of_one.pairs = {{0, 1}};
  EXPECT_EQ(*CostOf(permute, machine).seconds, *CostOf(of_one, slice).seconds);
  permute.pairs = {{0, 8}, {8, 0}};
  EXPECT_NEAR(*CostOf(permute, machine).seconds, 1e-5 + 1024 / 3.125e9, 1e-12);
}

TEST(CollectiveCostTest, WhatIsNoBlockHasNoTime) {
  const CollectiveCost cost =
      CostOf(Make(hlo::Opcode::kAllGather, {{0, 1, 2, 5}, {3, 4, 6, 7}}), *Lab(kLab));
  EXPECT_FALSE(cost.seconds.has_value());
  EXPECT_EQ(cost.why_unknown, "the devices of a group are no block of the torus");
}

TEST(CollectiveCostTest, BandwidthsThatNobodySaidGiveNoTime) {
  const Machine machine = *Lab("name: \"lab\" axis { size: 8 }\n");
  const CollectiveCost cost =
      CostOf(Make(hlo::Opcode::kAllGather, {{0, 1, 2, 3, 4, 5, 6, 7}}), machine);
  EXPECT_EQ(cost.why_unknown, "the machine has no bandwidth for it");
}

constexpr char kCluster[] =
    "name: \"cluster\"\n"
    "level { name: \"node\" devices: 2 device_bytes_per_s: 1e10 }\n"
    "level { name: \"net\" devices: 8 device_bytes_per_s: 1e9 }\n";

TEST(CollectiveCostTest, TheSwitchThatJoinsTheGroupCounts) {
  const Machine machine = *Lab(kCluster);
  const CollectiveCost inside =
      CostOf(Make(hlo::Opcode::kAllGather, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}), machine);
  EXPECT_NEAR(*inside.seconds, 512 / 1e10, 1e-15) << inside.formula;
  // Four devices would fit no node, and neither do these two pairs of different nodes.
  const CollectiveCost across =
      CostOf(Make(hlo::Opcode::kAllGather, {{0, 2, 4, 6}, {1, 3, 5, 7}}), machine);
  EXPECT_NEAR(*across.seconds, 768 / 1e9, 1e-15) << across.formula;
}

TEST(CollectiveCostTest, BothLevelsInPhases) {
  const CollectiveCost cost =
      CostOf(Make(hlo::Opcode::kAllReduce, {{0, 1, 2, 3, 4, 5, 6, 7}}), *Lab(kCluster));
  // Scatter 1 KiB inside (512 sent), reduce 512 bytes over 4 nodes (768 sent), gather inside.
  EXPECT_NEAR(*cost.seconds, 512 / 1e10 + 768 / 1e9 + 512 / 1e10, 1e-15) << cost.formula;
}

// In NVLink's switch an all-reduce sends V, in a plain switch and over several hosts 2 (n-1)/n V.
TEST(CollectiveCostTest, BytesAndFormulaAreThoseOfThePrice) {
  const Collective sum = Make(hlo::Opcode::kAllReduce, {{0, 1, 2, 3}, {4, 5, 6, 7}});
  const auto sent = [](const Collective& c, const char* target) {
    const Payload payload = *PayloadOn(c, *MachineOf(*target::ParseTarget(target)));
    return absl::StrCat(*SentBytes(payload), ": ", SentFormula(payload));
  };
  EXPECT_EQ(sent(sum, "h100:8"), "1024: V, added in the switch, V = 1 KiB");
  EXPECT_THAT(CostOf(sum, *MachineOf(*target::ParseTarget("h100:8"))).formula,
              HasSubstr(" 1024 bytes from each device"));
  EXPECT_EQ(sent(sum, "a100:8"), "1536: 2 (n-1)/n V, n = 4, V = 1 KiB");
  EXPECT_EQ(sent(sum, "tpu-v5e:2x4"), "1536: 2 (n-1)/n V, n = 4, V = 1 KiB");
  EXPECT_EQ(sent(sum, "h100:1x4x2"), "1536: 2 (n-1)/n V, n = 4, V = 1 KiB");
  EXPECT_EQ(sent(sum, "gb200:1x2x4"), "1024: V, added in the switch, V = 1 KiB");
  const Collective gather = Make(hlo::Opcode::kAllGather, {{0, 1, 2, 3}, {4, 5, 6, 7}});
  EXPECT_EQ(sent(gather, "h100:8"), "768: (n-1)/n V, n = 4, V = 1 KiB");
}

// A reduce-scatter takes as long as the all-gather that undoes it.
TEST(CollectiveCostTest, AReduceScatterOverBothLevels) {
  const std::vector<std::vector<int64_t>> all = {{0, 1, 2, 3, 4, 5, 6, 7}};
  Collective scatter = Make(hlo::Opcode::kReduceScatter, all);
  scatter.shape = *layout::ParseShape("f32[32]");
  const Machine machine = *Lab(kCluster);
  const CollectiveCost cost = CostOf(scatter, machine);
  // Scatter 1 KiB inside (512 sent), then 512 bytes over 4 nodes (384 sent).
  EXPECT_NEAR(*cost.seconds, 512 / 1e10 + 384 / 1e9, 1e-15) << cost.formula;
  EXPECT_NEAR(*cost.seconds, *CostOf(Make(hlo::Opcode::kAllGather, all), machine).seconds, 1e-15);
}

}  // namespace
}  // namespace tessera::cost
