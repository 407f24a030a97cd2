// Where arrays lie after loops and calls, and after the cut at a border that is not even.

#include "tessera/pipeline/answer/sharding_lookup.h"

#include <string>

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/input/named_instruction.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/projection/cost/demand/device_tiles.h"
#include "tessera/sharding/device_tiles.h"

namespace tessera::pipeline {
namespace {

ShardOptions Along(const std::string& annotation) {
  ShardOptions options;
  options.mesh = *ParseMeshFlag("x=4");
  options.annotations = {*ParseAnnotation(annotation)};
  return options;
}

// The tile of device 1.
std::string Tile(const ShardingLookup& placement, absl::string_view name, int leaf,
                 const projection::ZPoint& shape) {
  const sharding::TensorSharding* s = placement.Of(*FindNamed(placement.module(), name), leaf);
  if (s == nullptr) return "whole";
  const sharding::DeviceGrid grid(*placement.mesh(), placement.meshes());
  return projection::TileBox(grid, shape, *s, 1)->ToString();
}

TEST(PlacementTest, LoopsCarryShardings) {
  const auto module = hlo::ParseModule(R"(HloModule m

cond {
  s = (s32[], f32[8,2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}

body {
  t = (s32[], f32[8,2]) parameter(0)
  j = s32[] get-tuple-element(t), index=0
  v = f32[8,2] get-tuple-element(t), index=1
  one = s32[] constant(1)
  k = s32[] add(j, one)
  w = f32[8,2] sine(v)
  ROOT u = (s32[], f32[8,2]) tuple(k, w)
}

ENTRY e {
  p = f32[8,2] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[8,2]) tuple(zero, p)
  l = (s32[], f32[8,2]) while(start), condition=cond, body=body
  ROOT r = f32[8,2] get-tuple-element(l), index=1
}
)");
  const auto placement = ShardingLookup::Create(*module, Along("^p$=P('x')"));
  ASSERT_TRUE(placement.ok()) << placement.status();
  for (const char* name : {"p", "v", "w", "r"}) {
    EXPECT_EQ(Tile(*placement, name, 0, {8, 2}), "zr[2:4, 0:2]") << name;
  }
  EXPECT_EQ(Tile(*placement, "l", 1, {8, 2}), "zr[2:4, 0:2]");
  EXPECT_EQ(Tile(*placement, "zero", 0, {}), "whole");
}

TEST(PlacementTest, CallsAreWhatTheyCalled) {
  const auto module = hlo::ParseModule(R"(HloModule m

half {
  a = f32[8] parameter(0)
  ROOT n = f32[8] negate(a)
}

ENTRY e {
  p = f32[8] parameter(0)
  c = f32[8] call(p), to_apply=half
  ROOT r = f32[8] sine(c)
}
)");
  const auto placement = ShardingLookup::Create(*module, Along("^p$=P('x')"));
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_EQ(placement->module().FindInstruction("c"), hlo::kNoId);
  EXPECT_EQ(Tile(*placement, "n.1", 0, {8}), "zr[2:4]");
  EXPECT_EQ(Tile(*placement, "r", 0, {8}), "zr[2:4]");
}

// Nothing but sharding={...}: read a second time, by these, and with nothing left of the first.
TEST(PlacementTest, PlainShardingsAreReadAnew) {
  const auto module = hlo::ParseModule(R"(HloModule m, num_partitions=4

ENTRY e {
  p = f32[8] parameter(0), sharding={replicated}
  q = f32[8] parameter(1), sharding={devices=[4]<=[4]}
  ROOT t = (f32[8], f32[8]) tuple(p, q), sharding={{replicated}, {devices=[4]<=[4]}}
}
)");
  const auto placement = ShardingLookup::Create(*module, {});
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_EQ(Tile(*placement, "p", 0, {8}), "whole");
  EXPECT_EQ(Tile(*placement, "q", 0, {8}), "zr[2:4]");
  EXPECT_EQ(Tile(*placement, "t", 0, {8}), "whole");
  EXPECT_EQ(Tile(*placement, "t", 1, {8}), "zr[2:4]");
}

// Four do not divide ten: the parameter is cut in two.
TEST(PlacementTest, BordersAreCut) {
  const auto module = hlo::ParseModule(
      "HloModule m\n\nENTRY e {\n  p = f32[10] parameter(0)\n  q = f32[10] sine(p)\n  ROOT r = "
      "f32[10] cosine(q)\n}\n");
  const auto placement = ShardingLookup::Create(*module, Along("^p$=P('x')"));
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_EQ(Tile(*placement, "p", 0, {10}), "zr[0:5]");
  EXPECT_EQ(Tile(*placement, "q", 0, {10}), "zr[3:6]");
}

}  // namespace
}  // namespace tessera::pipeline
