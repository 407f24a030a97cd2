#include "tessera/target/stage/stage.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/stage/compiled_for.h"

namespace tessera::target {
namespace {

StageReading Read(const std::string& header, const std::string& body) {
  const auto module = hlo::ParseModule(absl::StrCat("HloModule m", header, "\n\n", body));
  EXPECT_TRUE(module.ok()) << module.status();
  return ReadStage(*module);
}

struct Case {
  const char* name;
  const char* header;
  const char* body;
  Stage stage;
  const char* sign;
};

constexpr char kSum[] =
    "s {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] "
    "add(a, b)\n}\n\n";

const Case kCases[] = {
    {"Plain", "", "ENTRY e {\n  ROOT x = f32[4] parameter(0)\n}", Stage::kLowered, ""},
    {"ShardingsOfParameters", ", num_partitions=2",
     "ENTRY e {\n  x = f32[4] parameter(0), sharding={devices=[2]<=[2]}\n  ROOT y = f32[4] "
     "negate(x)\n}",
     Stage::kLowered, ""},
    {"MarkOfJax", ", num_partitions=2",
     "ENTRY e {\n  x = f32[4] parameter(0), "
     "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{}]>\"}\n  ROOT y = f32[4] "
     "negate(x), sharding={replicated}\n}",
     Stage::kLowered, ""},
    {"MarkOfMeshes", ", frontend_attributes={xla.sdy.meshes=\"{}\"}, num_partitions=2",
     "ENTRY e {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] negate(x), "
     "sharding={replicated}\n}",
     Stage::kLowered, ""},
    {"Constraint", ", num_partitions=2",
     "ENTRY e {\n  x = f32[4] parameter(0)\n  y = f32[4] negate(x), sharding={replicated}\n  ROOT "
     "z = f32[4] custom-call(y), custom_call_target=\"Sharding\", sharding={replicated}\n}",
     Stage::kLowered, ""},
    {"Propagated", ", num_partitions=2",
     "ENTRY e {\n  x = f32[4] parameter(0), sharding={devices=[2]<=[2]}\n  ROOT y = f32[4] "
     "negate(x), sharding={devices=[2]<=[2]}\n}",
     Stage::kSharded, "the sharding of 'y'"},
    {"Partitioned", ", num_partitions=2",
     "ENTRY main.3_spmd {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}",
     Stage::kPartitioned, "the name of the entry, 'main.3_spmd'"},
    {"PartitionedWithACallback", ", num_partitions=2",
     "ENTRY main.3_spmd {\n  x = f32[2] parameter(0)\n  t = token[] after-all()\n  s = (f32[2], "
     "u32[], token[]) send(x, t), channel_id=1, is_host_transfer=true, sharding={{maximal "
     "device=0}, {maximal device=0}, {maximal device=0}}\n  d = token[] send-done(s), "
     "channel_id=1, "
     "is_host_transfer=true, sharding={maximal device=0}\n  ROOT y = f32[2] negate(x)\n}",
     Stage::kPartitioned, "the name of the entry, 'main.3_spmd'"},
    {"PartitionedWithBorders", ", num_partitions=2",
     "ENTRY main.3_spmd {\n  x = f32[2] parameter(0), sharding={devices=[2]<=[2]}\n  ROOT y = "
     "f32[2] negate(x), sharding={devices=[2]<=[2]}\n}",
     Stage::kPartitioned, "the name of the entry, 'main.3_spmd'"},
    {"ShardedAgain", ", num_partitions=2",
     "ENTRY main.3_spmd {\n  x = f32[2] parameter(0)\n  y = f32[2] negate(x), "
     "sharding={devices=[2]<=[2]}\n  ROOT z = f32[2] negate(y)\n}",
     Stage::kSharded, "the sharding of 'y'"},
    {"ConstraintInPartitioned", ", num_partitions=2",
     "ENTRY main.3_spmd {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] custom-call(x), "
     "custom_call_target=\"Sharding\"\n}",
     Stage::kLowered, ""},
    {"OnePartition", "", "ENTRY main.3_spmd {\n  ROOT x = f32[2] parameter(0)\n}", Stage::kLowered,
     ""},
    {"PartitionId", ", num_partitions=2", "ENTRY e {\n  ROOT y = u32[] partition-id()\n}",
     Stage::kPartitioned, "partition-id 'y'"},
    {"Scheduled", ", is_scheduled=true",
     "ENTRY e {\n  x = f32[4] parameter(0), sharding={replicated}\n  ROOT y = f32[4] negate(x), "
     "sharding={replicated}\n}",
     Stage::kFinal, "is_scheduled=true"},
    {"Tiled", "",
     "ENTRY e {\n  x = f32[4,8]{1,0:T(8,128)} parameter(0)\n  ROOT y = f32[4,8] negate(x)\n}",
     Stage::kFinal, "the tiled layout of 'x'"},
    {"TiledAndAnnotated", ", num_partitions=2",
     "ENTRY e {\n  x = f32[4,8]{1,0:T(8,128)} parameter(0), sharding={replicated}\n  ROOT y = "
     "f32[4,8] negate(x)\n}",
     Stage::kLowered, ""},
    {"Fused", "",
     "f {\n  p = f32[4] parameter(0)\n  ROOT n = f32[4] negate(p)\n}\n\nENTRY e {\n  x = f32[4] "
     "parameter(0)\n  ROOT y = f32[4] fusion(x), kind=kLoop, calls=f\n}",
     Stage::kFinal, "fusion 'y'"},
    {"Asynchronous", "",
     "ENTRY e {\n  x = f32[4] parameter(0)\n  s = ((f32[4]), f32[4], s32[]) negate-start(x)\n"
     "  ROOT y = f32[4] negate-done(s)\n}",
     Stage::kFinal, "async-start 's'"},
};

TEST(StageTest, OfSigns) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const StageReading read = Read(c.header, c.body);
    EXPECT_EQ(StageName(read.stage), StageName(c.stage));
    EXPECT_EQ(read.sign, c.sign);
  }
}

// The name of the entry was changed; a channel says it still, if there are partitions to talk to.
TEST(StageTest, OfAChannel) {
  const std::string body = absl::StrCat(
      kSum,
      "ENTRY e {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] all-reduce(x), channel_id=1, "
      "replica_groups={{0,1}}, use_global_device_ids=true, to_apply=s\n}");
  EXPECT_EQ(Read(", num_partitions=2", body).sign, "the channel of 'y'");
  EXPECT_EQ(Read(", num_partitions=2", body).stage, Stage::kPartitioned);
  EXPECT_EQ(Read("", body).stage, Stage::kLowered);
}

TEST(StageTest, PerDevice) {
  EXPECT_FALSE(IsPerDevice(Stage::kLowered));
  EXPECT_FALSE(IsPerDevice(Stage::kSharded));
  EXPECT_TRUE(IsPerDevice(Stage::kPartitioned));
  EXPECT_TRUE(IsPerDevice(Stage::kFinal));
}

std::optional<Platform> PlatformOf(const std::string& entry) {
  const auto module =
      hlo::ParseModule("HloModule m, is_scheduled=true\n\nENTRY e {\n" + entry + "}\n");
  EXPECT_TRUE(module.ok()) << module.status();
  return CompiledFor(*module);
}

TEST(CompiledForTest, TilesAreOfTpusAndQueuesOfGpus) {
  EXPECT_EQ(PlatformOf("  ROOT x = f32[8,128]{1,0:T(8,128)} parameter(0)\n"), Platform::kTpu);
  EXPECT_EQ(PlatformOf("  x = f32[8]{0} parameter(0)\n  ROOT y = f32[8]{0} negate(x), "
                       "backend_config={\"operation_queue_id\":\"0\"}\n"),
            Platform::kGpu);
  EXPECT_EQ(PlatformOf("  ROOT x = f32[8]{0} parameter(0)\n"), std::nullopt);
}

}  // namespace
}  // namespace tessera::target
