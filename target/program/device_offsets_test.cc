#include "tessera/target/program/device_offsets.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The value of `v` on four devices.
DeviceOffsets::Value ValueOf(const std::string& lines) {
  auto module = hlo::ParseModule(
      absl::StrCat("HloModule m, num_partitions=4\n\nENTRY e {\n  id = u32[] partition-id()\n",
                   "  x = s32[] parameter(0)\n", lines, "  ROOT t = () tuple()\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  DeviceProgram program(*std::move(module));
  return DeviceOffsets(&program, 4).Of(program.module().FindInstruction("v"));
}

TEST(DeviceOffsetsTest, WhatThePartitionerWrites) {
  EXPECT_THAT(ValueOf("  v = u32[] copy(id)\n").by_device, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(ValueOf("  v = s32[] constant(7)\n").by_device, ElementsAre(7, 7, 7, 7));
  EXPECT_THAT(ValueOf("  l = s32[4] constant({0, 8, 0, 8})\n"
                      "  d = s32[1] dynamic-slice(l, id), dynamic_slice_sizes={1}\n"
                      "  v = s32[] reshape(d)\n")
                  .by_device,
              ElementsAre(0, 8, 0, 8));
  EXPECT_THAT(ValueOf("  c = s32[] convert(id)\n  k = s32[] constant(16)\n"
                      "  m = s32[] multiply(c, k)\n  v = s32[] subtract(k, m)\n")
                  .by_device,
              ElementsAre(16, 0, -16, -32));
  EXPECT_THAT(ValueOf("  lo = u32[] constant(1)\n  hi = u32[] constant(2)\n"
                      "  v = u32[] clamp(lo, id, hi)\n")
                  .by_device,
              ElementsAre(1, 1, 2, 2));
  // Beyond the end of a list the last element is read.
  EXPECT_THAT(ValueOf("  l = s32[2] iota(), iota_dimension=0\n"
                      "  v = s32[1] dynamic-slice(l, id), dynamic_slice_sizes={1}\n")
                  .by_device,
              ElementsAre(0, 1, 1, 1));
}

TEST(DeviceOffsetsTest, WhatIsNotKnown) {
  EXPECT_FALSE(ValueOf("  v = s32[] copy(x)\n").known);
  EXPECT_FALSE(ValueOf("  v = u32[] add(id, id)\n").known);
  EXPECT_FALSE(ValueOf("  v = u32[] multiply(id, id)\n").known);
  EXPECT_FALSE(ValueOf("  v = u8[] convert(id)\n").known);
  EXPECT_FALSE(ValueOf("  k = u32[] constant(2)\n  p = u32[] multiply(id, k)\n"
                       "  c = s64[] convert(p)\n  b = s64[] constant(9223372036854775807)\n"
                       "  v = s64[] multiply(c, b)\n")
                   .known);
}

TEST(DeviceOffsetsTest, AListThatIsLeftOut) {
  const DeviceOffsets::Value value = ValueOf(
      "  l = s32[4] constant({...})\n"
      "  v = s32[1] dynamic-slice(l, id), dynamic_slice_sizes={1}\n");
  EXPECT_TRUE(value.known);
  EXPECT_TRUE(value.left_out);
  EXPECT_THAT(value.by_device, IsEmpty());
}

}  // namespace
}  // namespace tessera::target
