// `tessera project --device`, of inputs and of shards without cells.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

Outcome Ask(const std::string& text, std::vector<std::string> words) {
  words.insert(words.begin(), {"project", TestFile("project_device_test.hlo", text), "t"});
  return RunTessera({ProjectVerb()}, words);
}

// Rows of a slice are moved against those of the input: the halo is of it, not of the operand.
constexpr char kHalo[] = R"(HloModule m, num_partitions=4
ENTRY e {
  x = f32[16,8] parameter(0), sharding={mesh['h'=4], [{'h'}, {}]}
  r = f32[16,8] reverse(x), dimensions={1}, sharding={mesh['h'=4], [{'h'}, {}]}
  s = f32[12,8] slice(r), slice={[4:16],[0:8]}, sharding={mesh['h'=4], [{'h'}, {}]}
  ROOT t = f32[12,8] negate(s), sharding={mesh['h'=4], [{'h'}, {}]}
}
)";

TEST(ProjectDeviceTest, WhatADeviceLacksOfTheInputs) {
  const Outcome result = Ask(kHalo, {"--device=1", "--to-inputs"});
  EXPECT_THAT(result.out, HasSubstr("\n  x f32[16,8]: [7:10, 0:8], 96 bytes\n"
                                    "    holds [4:8, 0:8], lacks [8:10, 0:8], 64 bytes\n"
                                    "  the device lacks 64 bytes of these inputs\n"
                                    "all devices together must fetch 0 bytes of the operands\n"))
      << result.err;
  EXPECT_THAT(Ask(kHalo, {"--device=1", "--through=r"}).out, HasSubstr(", lacks ["));
}

TEST(ProjectDeviceTest, ADeviceMayHoldNothing) {
  constexpr char kOneRow[] = R"(HloModule m, num_partitions=4
ENTRY e {
  x = f32[2,8] parameter(0)
  n = f32[2,8] negate(x), sharding={mesh['h'=4], [{'h'}, {}]}
  t = f32[2,8] sine(n), sharding={mesh['h'=4], [{'h'}, {}]}
  ROOT q = f32[16] reshape(t)
}
)";
  EXPECT_THAT(Ask(kOneRow, {"--device=3"}).out,
              HasSubstr("block nothing, writes 0 bytes\n  n f32[2,8]: nothing, 0 bytes\n"
                        "    holds nothing, lacks nothing, 0 bytes\n"));
}

TEST(ProjectDeviceTest, AWrongDeviceIsAnErrorInTheFile) {
  EXPECT_THAT(
      Ask(kHalo, {"--device=4"}).err,
      HasSubstr("project_device_test.hlo:6:3: error: --device=4: expected the number of one "
                "of 4 devices"));
}

}  // namespace
}  // namespace tessera::pipeline
