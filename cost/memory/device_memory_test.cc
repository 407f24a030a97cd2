#include "tessera/cost/memory/device_memory.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::cost {
namespace {

DeviceMemory Of(const std::string& text) {
  auto module = hlo::ParseModule(text, "test");
  EXPECT_TRUE(module.ok()) << module.status();
  const auto device =
      sharding::partition::PartitionModule(*module, {}, sharding::partition::OptionsOfCosts());
  EXPECT_TRUE(device.ok()) << device.status();
  auto memory = MemoryOf(*device);
  EXPECT_TRUE(memory.ok()) << memory.status();
  return memory.ok() ? *memory : DeviceMemory();
}

TEST(DeviceMemoryTest, ArgumentsAndResultsAreTiles) {
  const DeviceMemory m =
      Of("HloModule m, num_partitions=8\n"
         "ENTRY e {\n"
         "  x = f32[16,64] parameter(0), sharding={devices=[4,2]<=[8]}\n"
         "  ROOT n = f32[16,64] negate(x), sharding={devices=[4,2]<=[8]}\n"
         "}\n");
  EXPECT_EQ(m.arguments, 512);
  EXPECT_EQ(m.results, 512);
  EXPECT_EQ(m.temporaries, 0);
  EXPECT_EQ(m.argument_list[0].shape, "f32[4,32]");
}

TEST(DeviceMemoryTest, TilesOfTheHardwarePad) {
  auto module = hlo::ParseModule(
      "HloModule m, num_partitions=4, entry_computation_layout={(f32[4096,8]{1,0}, "
      "f32[256,8]{0,1:T(8,128)})->(f32[4096,8]{1,0}, f32[256,8]{0,1:T(8,128)})}\n"
      "ENTRY e {\n"
      "  x = f32[4096,8] parameter(0), sharding={devices=[4,1]<=[4]}\n"
      "  kept = f32[256,8]{0,1:T(8,128)} parameter(1), sharding={replicated}\n"
      "  ROOT t = (f32[4096,8], f32[256,8]) tuple(x, kept), sharding={{devices=[4,1]<=[4]}, "
      "{replicated}}\n"
      "}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const layout::TileRules tpu = *layout::NamedTileRules("tpu");
  const auto device = sharding::partition::PartitionModule(*module);
  ASSERT_TRUE(device.ok()) << device.status();
  const auto m = MemoryOf(*device, /*timeline=*/nullptr, &tpu);
  ASSERT_TRUE(m.ok()) << m.status();
  const DeviceBuffer& x = m->argument_list[0];
  EXPECT_EQ(x.shape, "f32[1024,8]{1,0:T(8,128)}");
  EXPECT_EQ(x.bytes, 1024 * 128 * 4);
  EXPECT_EQ(x.padding, 1024 * 120 * 4);
  EXPECT_EQ(x.better_shape, "f32[1024,8]{0,1:T(8,128)}");
  EXPECT_EQ(x.better_bytes, 1024 * 8 * 4);
  const DeviceBuffer& kept = m->argument_list[1];
  EXPECT_EQ(kept.bytes, 256 * 8 * 4);
  EXPECT_EQ(kept.padding, 0);
  EXPECT_EQ(kept.better_shape, "");
  EXPECT_EQ(m->arguments, x.bytes + kept.bytes);
}

TEST(DeviceMemoryTest, UnevenTilesCountWithTheLargest) {
  const DeviceMemory m =
      Of("HloModule m, num_partitions=4\n"
         "ENTRY e {\n"
         "  ROOT x = f32[10] parameter(0), sharding={devices=[4]<=[4]}\n"
         "}\n");
  EXPECT_EQ(m.arguments, 12);
}

TEST(DeviceMemoryTest, ATupleOfResultsHasATable) {
  const DeviceMemory m =
      Of("HloModule m, num_partitions=4, input_output_alias={ {1}: (0, {}, may-alias) }\n"
         "ENTRY e {\n"
         "  x = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
         "  n = f32[8] negate(x), sharding={devices=[4]<=[4]}\n"
         "  a = f32[8] abs(x), sharding={replicated}\n"
         "  ROOT t = (f32[8], f32[8]) tuple(a, n), sharding={{replicated}, {devices=[4]<=[4]}}\n"
         "}\n");
  EXPECT_EQ(m.results, 32 + 8 + 16);
  EXPECT_EQ(m.aliased, 8);
}

TEST(DeviceMemoryTest, DonatedArgumentsTakeResultsOfTheirSize) {
  const DeviceMemory m =
      Of("HloModule m, num_partitions=4, buffer_donor={ (0, {}), (1, {}) }\n"
         "ENTRY e {\n"
         "  x = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
         "  y = f32[16] parameter(1), sharding={devices=[4]<=[4]}\n"
         "  ROOT n = f32[8] negate(x), sharding={devices=[4]<=[4]}\n"
         "}\n");
  EXPECT_EQ(m.aliased, 8);
}

TEST(DeviceMemoryTest, AnArgumentTakesOneResult) {
  const DeviceMemory m = Of(
      "HloModule m, num_partitions=4, input_output_alias={ {0}: (0, {}, may-alias) }, "
      "buffer_donor={ (0, {}) }\n"
      "ENTRY e {\n"
      "  x = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
      "  n = f32[8] negate(x), sharding={devices=[4]<=[4]}\n"
      "  a = f32[8] abs(x), sharding={devices=[4]<=[4]}\n"
      "  ROOT t = (f32[8], f32[8]) tuple(n, a), sharding={{devices=[4]<=[4]}, {devices=[4]<=[4]}}\n"
      "}\n");
  EXPECT_EQ(m.aliased, 8);
}

// An intermediate that is neither argument nor result, and what an all-gather brings.
TEST(DeviceMemoryTest, TemporariesAndWhatIsGathered) {
  const DeviceMemory m =
      Of("HloModule m, num_partitions=4\n"
         "ENTRY e {\n"
         "  x = f32[8,16] parameter(0), sharding={devices=[4,1]<=[4]}\n"
         "  w = f32[16,32] parameter(1), sharding={devices=[4,1]<=[4]}\n"
         "  d = f32[8,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
         "sharding={devices=[4,1]<=[4]}\n"
         "  v = f32[32,4] parameter(2), sharding={replicated}\n"
         "  ROOT e = f32[8,4] dot(d, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
         "sharding={devices=[4,1]<=[4]}\n"
         "}\n");
  // d on a device is f32[2,32]; w is gathered for it: f32[16,32].
  EXPECT_EQ(m.temporaries, 256 + 2048);
  EXPECT_EQ(m.peak_at, "d");
  ASSERT_EQ(m.at_peak.size(), 2u);
  EXPECT_THAT(m.at_peak[0].name, ::testing::StartsWith("all-gather"));
  EXPECT_EQ(m.at_peak[0].bytes, 2048);
  EXPECT_EQ(m.at_peak[0].source, hlo::kNoId);
  EXPECT_EQ(m.at_peak[1].name, "d");
  EXPECT_EQ(m.at_peak[1].bytes, 256);
  EXPECT_NE(m.at_peak[1].source, hlo::kNoId);
}

// tanh(x) * 2 is computed within the sums that read it; the dot between them has a buffer.
TEST(DeviceMemoryTest, WhatIsFusedHasNoBuffer) {
  const DeviceMemory m =
      Of("HloModule m, num_partitions=1\n"
         "ENTRY e {\n"
         "  x = f32[8,8] parameter(0)\n"
         "  c = f32[] constant(2)\n"
         "  b = f32[8,8] broadcast(c), dimensions={}\n"
         "  h = f32[8,8] tanh(x)\n"
         "  t = f32[8,8] multiply(h, b)\n"
         "  a = f32[8,8] add(t, x)\n"
         "  d = f32[8,8] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
         "  ROOT r = f32[8,8] add(d, t)\n"
         "}\n");
  // Only a: t has two readers but is cheap, h has one, and d becomes the result.
  EXPECT_EQ(m.temporaries, 256);
}

// Of a fusion of sharded arrays, which XLA cuts around its computation, the shard.
TEST(DeviceMemoryTest, ACutFusionIsAShard) {
  const DeviceMemory m =
      Of("HloModule m, num_partitions=4\n"
         "fused {\n"
         "  p = f32[8,8] parameter(0)\n"
         "  ROOT n = f32[8,8] tanh(p)\n"
         "}\n"
         "ENTRY e {\n"
         "  x = f32[8,8] parameter(0), sharding={devices=[4,1]<=[4]}\n"
         "  f = f32[8,8] fusion(x), kind=kLoop, calls=fused, sharding={devices=[4,1]<=[4]}\n"
         "  v = f32[8,8] parameter(1), sharding={replicated}\n"
         "  ROOT d = f32[8,8] dot(f, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
         "sharding={devices=[4,1]<=[4]}\n"
         "}\n");
  EXPECT_EQ(m.temporaries, 64);
  EXPECT_EQ(m.peak_at, "f");
}

// A value that is dear and read twice is kept.
TEST(DeviceMemoryTest, WhatIsDearIsComputedOnce) {
  const DeviceMemory m =
      Of("HloModule m, num_partitions=1\n"
         "ENTRY e {\n"
         "  x = f32[8,8] parameter(0)\n"
         "  h = f32[8,8] tanh(x)\n"
         "  a = f32[8,8] add(h, x)\n"
         "  s = f32[8,8] multiply(h, x)\n"
         "  ROOT d = f32[8,8] dot(a, s), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
         "}\n");
  EXPECT_EQ(m.temporaries, 2 * 256);
  EXPECT_EQ(m.at_peak.size(), 2u);
}

// The most is needed where the loop runs; two arrays are made in it, one after the other.
TEST(DeviceMemoryTest, SaysWhatIsAliveInsideOfALoop) {
  const DeviceMemory m =
      Of("HloModule m\n"
         "body {\n"
         "  s = (s32[], f32[64,64]) parameter(0)\n"
         "  i = s32[] get-tuple-element(s), index=0\n"
         "  v = f32[64,64] get-tuple-element(s), index=1\n"
         "  d = f32[64,64] dot(v, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
         "  e = f32[64,64] dot(d, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
         "  ROOT t = (s32[], f32[64,64]) tuple(i, e)\n"
         "}\n"
         "cond {\n"
         "  s = (s32[], f32[64,64]) parameter(0)\n"
         "  i = s32[] get-tuple-element(s), index=0\n"
         "  n = s32[] constant(3)\n"
         "  ROOT lt = pred[] compare(i, n), direction=LT\n"
         "}\n"
         "ENTRY e {\n"
         "  x = f32[64,64] parameter(0)\n"
         "  zero = s32[] constant(0)\n"
         "  start = (s32[], f32[64,64]) tuple(zero, x)\n"
         "  w = (s32[], f32[64,64]) while(start), condition=cond, body=body\n"
         "  r = f32[64,64] get-tuple-element(w), index=1\n"
         "  ROOT y = f32[32,64] slice(r), slice={[0:32],[0:64]}\n"
         "}\n");
  std::vector<std::string> inside;
  for (const DeviceBuffer& buffer : m.at_peak) {
    if (buffer.inside == "w") inside.push_back(buffer.name);
  }
  EXPECT_EQ(inside, (std::vector<std::string>{"d", "e"}));
}

}  // namespace
}  // namespace tessera::cost
