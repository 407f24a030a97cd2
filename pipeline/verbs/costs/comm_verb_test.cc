#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A sum over both axes, once, and one over b in a loop of five.
constexpr char kModule[] =
    "HloModule m, num_partitions=8\n"
    "sum {\n"
    "  l = f32[] parameter(0)\n"
    "  r = f32[] parameter(1)\n"
    "  ROOT s = f32[] add(l, r)\n"
    "}\n"
    "body {\n"
    "  p = (s32[], f32[16,16]) parameter(0), sharding={{replicated}, {devices=[1,4,2]<=[2,4]T(1,0) "
    "last_tile_dim_replicate}}\n"
    "  i = s32[] get-tuple-element(p), index=0, sharding={replicated}\n"
    "  v = f32[16,16] get-tuple-element(p), index=1, sharding={devices=[1,4,2]<=[2,4]T(1,0) "
    "last_tile_dim_replicate}\n"
    "  one = s32[] constant(1), sharding={replicated}\n"
    "  j = s32[] add(i, one), sharding={replicated}\n"
    "  d = f32[16,16] dot(v, v), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
    "sharding={devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}, "
    "metadata={op_name=\"loop/dot\" source_file=\"m.py\" source_line=9}\n"
    "  ROOT t = (s32[], f32[16,16]) tuple(j, d), sharding={{replicated}, "
    "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}}\n"
    "}\n"
    "cond {\n"
    "  p = (s32[], f32[16,16]) parameter(0), sharding={{replicated}, {devices=[1,4,2]<=[2,4]T(1,0) "
    "last_tile_dim_replicate}}\n"
    "  i = s32[] get-tuple-element(p), index=0, sharding={replicated}\n"
    "  n = s32[] constant(5), sharding={replicated}\n"
    "  ROOT c = pred[] compare(i, n), direction=LT, sharding={replicated}\n"
    "}\n"
    "ENTRY e {\n"
    "  x = f32[16,32] parameter(0), sharding={devices=[1,8]<=[8]}\n"
    "  w = f32[32,64] parameter(1), sharding={devices=[8,1]<=[8]}\n"
    "  d0 = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={replicated}, metadata={op_name=\"dot\" source_file=\"m.py\" source_line=7}\n"
    "  y = f32[16,16] parameter(2), sharding={devices=[1,4,2]<=[2,4]T(1,0) "
    "last_tile_dim_replicate}\n"
    "  z = s32[] constant(0), sharding={replicated}\n"
    "  t = (s32[], f32[16,16]) tuple(z, y), sharding={{replicated}, {devices=[1,4,2]<=[2,4]T(1,0) "
    "last_tile_dim_replicate}}\n"
    "  l = (s32[], f32[16,16]) while(t), condition=cond, body=body, sharding={{replicated}, "
    "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}}\n"
    "  g = f32[16,16] get-tuple-element(l), index=1, sharding={devices=[1,4,2]<=[2,4]T(1,0) "
    "last_tile_dim_replicate}\n"
    "  ROOT r = (f32[16,64], f32[16,16]) tuple(d0, g), sharding={{replicated}, "
    "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}}\n"
    "}\n";

Outcome Comm(std::vector<std::string> words) {
  words.insert(words.begin(), {"comm", TestFile("m.hlo", kModule), "--mesh=a=2,b=4"});
  return RunTessera({CommVerb()}, words);
}

TEST(CommVerbTest, BytesWithTheirFormulas) {
  const Outcome run = Comm({});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("all-reduce f32[16,64] over a,b: d0, dot  # m.py:7\n"
                                 "              2 (n-1)/n V, n = 8, V = 4 KiB\n"));
  EXPECT_THAT(run.out, HasSubstr(" x5 "));
  EXPECT_THAT(run.out, HasSubstr("m.py:9\n"));
}

TEST(CommVerbTest, TimesOfAPreset) {
  const Outcome run = Comm({"--target=tpu-v5e:2x4"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(" if nothing overlaps, on tpu-v5e:2x4\n"));
  EXPECT_THAT(run.out, HasSubstr("line of 4: "));
  EXPECT_THAT(run.out, HasSubstr("bandwidths: How To Scale Your Model"));
}

// 2 * 16 * 64 * 4 for d0, and five times 2 * 16 * 16 * 4 for d: each device has four of the cells that are
// contracted.
TEST(CommVerbTest, WhatADeviceComputes) {
  const Outcome run = Comm({"--target=tpu-v5e:2x4"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("a device computes 18.4 kflop and moves "));
  EXPECT_THAT(run.out, HasSubstr(" x5    d: "));
  EXPECT_THAT(run.out, HasSubstr(", memory, loop/dot  # m.py:9\n"));
  EXPECT_THAT(Comm({"--target=tpu-v5e:2x4", "--json"}).out, HasSubstr("\"bound\":\"memory\""));
  EXPECT_THAT(Comm({}).out, Not(HasSubstr("a device computes")));
}

// Operations without a cost are counted and named.
TEST(CommVerbTest, OperationsWithoutACost) {
  const std::string kernel =
      TestFile("kernel.hlo",
               "HloModule m, num_partitions=2\nENTRY e {\n  x = f32[64] parameter(0), "
               "sharding={devices=[2]<=[2]}\n  ROOT k = f32[64] custom-call(x), "
               "custom_call_target=\"tpu_custom_call\", sharding={devices=[2]<=[2]}\n}\n");
  const auto comm = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"comm", kernel, "--mesh=a=2", "--as-is"});
    return RunTessera({CommVerb()}, words);
  };
  EXPECT_THAT(comm({"--target=tpu-v5e:1x2"}).out,
              HasSubstr("1 operation has no cost and counts as no time:\n"
                        "  k (tpu_custom_call): its computation is unknown\n"));
  EXPECT_THAT(comm({"--target=tpu-v5e:1x2", "--json"}).out,
              HasSubstr("\"unpriced\":[{\"name\":\"k\",\"target\":\"tpu_custom_call\",\"why\":"));
  const std::string links = TestFile("links.textproto", "name: \"lab\" level { devices: 2 }\n");
  // Without a bandwidth of memory, neither have the instructions that cut the result.
  EXPECT_THAT(comm({"--target=" + links}).out, HasSubstr("4 operations have no cost"));
  EXPECT_THAT(Comm({"--target=tpu-v5e:2x4"}).out, Not(HasSubstr("no cost")));
}

TEST(CommVerbTest, TimesOfAFile) {
  const std::string lab = TestFile("lab.textproto",
                                   "name: \"lab\"\n"
                                   "axis { name: \"X\" size: 2 wrap: true link_bytes_per_s: 1e9 }\n"
                                   "axis { name: \"Y\" size: 4 wrap: true link_bytes_per_s: 1e9 }\n"
                                   "mesh_axis { name: \"a\" on: \"X\" }\n"
                                   "mesh_axis { name: \"b\" on: \"Y\" }\n");
  const Outcome run = Comm({"--target=" + lab});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("ring of 4: "));
}

TEST(CommVerbTest, MistakesHaveAPlace) {
  const std::string lab = TestFile("lab.textproto",
                                   "name: \"lab\"\naxis { name: \"X\" size: 8 }\n"
                                   "mesh_axis { name: \"rows\" on: \"X\" }\n");
  const Outcome run = Comm({"--target=" + lab});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("lab.textproto:3:1: error: 'rows' is not an axis of the mesh "
                                 "a=2,b=4\n"));
  EXPECT_THAT(Comm({"--target=tpu-v9"}).err, HasSubstr("no preset 'tpu-v9'"));
}

}  // namespace
}  // namespace tessera::pipeline
