#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/byte_count.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

// 6 KiB of arguments on each of four devices, 1 KiB of results, and 2 KiB between them.
constexpr char kModule[] =
    "HloModule m, num_partitions=4\n"
    "ENTRY e {\n"
    "  x = f32[64,32] parameter(0), sharding={devices=[4,1]<=[4]}, "
    "metadata={op_name=\"batch\" source_file=\"m.py\" source_line=3}\n"
    "  w = f32[32,32] parameter(1), sharding={replicated}\n"
    "  t = f32[64,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={devices=[4,1]<=[4]}, "
    "metadata={op_name=\"layer\" source_file=\"m.py\" source_line=4}\n"
    "  ROOT s = f32[64,16] slice(t), slice={[0:64],[0:16]}, sharding={devices=[4,1]<=[4]}\n"
    "}\n";

Outcome Memory(std::vector<std::string> words) {
  words.insert(words.begin(), {"memory", TestFile("m.hlo", kModule)});
  return RunTessera({MemoryVerb()}, words);
}

TEST(MemoryVerbTest, WhatADeviceNeeds) {
  const Outcome run = Memory({});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("       6 KiB  arguments\n"
                                 "       1 KiB  results\n"
                                 "       2 KiB  temporaries at their peak, an estimate\n"
                                 "       9 KiB  in all\n"));
  EXPECT_THAT(run.out,
              HasSubstr("       2 KiB  t f32[16,32] {devices=[4,1]<=[4]}, layer  # m.py:4\n"));
  EXPECT_THAT(run.out,
              HasSubstr("       2 KiB  x f32[16,32] {devices=[4,1]<=[4]}, batch  # m.py:3\n"));
}

TEST(MemoryVerbTest, ALimitIsAFinding) {
  const Outcome fits = Memory({"--limit=9KiB"});
  EXPECT_EQ(fits.exit, 0);
  EXPECT_THAT(fits.out, HasSubstr("fits 9KiB: 0 B left\n"));
  const Outcome over = Memory({"--limit=8 kB"});
  EXPECT_EQ(over.exit, 1);
  EXPECT_THAT(over.out, HasSubstr("does not fit 8 kB: 1.19 KiB too much\n"));
  EXPECT_EQ(Memory({"--hardware=tpu-v5e"}).exit, 0);
}

TEST(MemoryVerbTest, HardwareHasTiles) {
  const Outcome tpu = Memory({"--hardware=tpu-v5e"});
  EXPECT_THAT(tpu.out, HasSubstr("x f32[16,32]{1,0:T(8,128)} {devices=[4,1]<=[4]}, 6 KiB of it "
                                 "padding, batch  # m.py:3\n"));
  EXPECT_THAT(tpu.out, HasSubstr("in tiles of the hardware, "));
  EXPECT_THAT(Memory({"--hardware=tpu-v5e", "--json"}).out, HasSubstr("\"padding\":6144"));
  EXPECT_THAT(Memory({"--hardware=h100-sxm"}).out,
              HasSubstr("x f32[16,32] {devices=[4,1]<=[4]}, batch"));
}

TEST(MemoryVerbTest, LimitsNeedUnits) {
  const Outcome run = Memory({"--limit=16"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("--limit:1:3: error: expected a unit: B, kB"));
  EXPECT_THAT(Memory({"--limit=lots"}).err, HasSubstr("--limit:1:1: error: expected a number"));
  EXPECT_THAT(Memory({"--limit=9e"}).err, HasSubstr("--limit:1:2: error: expected a unit"));
  EXPECT_THAT(Memory({"--limit=1B", "--hardware=tpu-v4"}).err, HasSubstr("give one"));
  EXPECT_THAT(Memory({"--hardware=abacus"}).err,
              HasSubstr("--hardware=abacus: expected one of tpu-v3, tpu-v4, "));
}

TEST(MemoryLimitTest, Units) {
  EXPECT_EQ(*ReadByteCount("16GiB"), int64_t{16} << 30);
  EXPECT_EQ(*ReadByteCount("1.5 kB"), 1500);
  EXPECT_FALSE(ReadByteCount("1e99GiB").ok());
  EXPECT_FALSE(ReadByteCount("99999999999TiB").ok());
}

}  // namespace
}  // namespace tessera::pipeline
