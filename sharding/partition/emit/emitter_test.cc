// Instructions of small per-device modules, as XLA's partitioner of jaxlib 0.12.0.1 makes them.

#include <string>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::sharding::partition {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string DeviceText(absl::string_view text) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return "";
  const auto device = PartitionModule(*module);
  EXPECT_TRUE(device.ok()) << device.status();
  return device.ok() ? hlo::PrintModule(device->module, hlo::PrintOptions::Default()) : "";
}

TEST(EmitterTest, AWholeConstantIsAsWritten) {
  EXPECT_THAT(DeviceText(R"(HloModule m, num_partitions=2
ENTRY e {
  c = f32[1,1] constant({ {7} })
  ROOT n = f32[1,1] negate(c)
})"),
              HasSubstr("f32[1,1] constant({ {7} })"));
}

// Shardy marks the reducer of a psum in a shard_map as manual.
TEST(EmitterTest, ReducersHaveNoShardings) {
  const std::string text = DeviceText(R"(HloModule m, num_partitions=2
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b), sharding={manual}
}
ENTRY e {
  x = f32[4,8] parameter(0), sharding={devices=[1,2]<=[2]}
  z = f32[] constant(0)
  ROOT y = f32[8] reduce(x, z), dimensions={0}, to_apply=sum, sharding={devices=[2]<=[2]}
})");
  EXPECT_THAT(text, HasSubstr("add("));
  EXPECT_THAT(text, Not(HasSubstr("sharding=")));
}

// Two of four devices have a row; each writes it into zeros.
TEST(EmitterTest, RowsAfterTheEndAreMaskedByTheirIndices) {
  const std::string text = DeviceText(R"(HloModule m, num_partitions=4
ENTRY e {
  x = f32[2,8] parameter(0), sharding={devices=[4,1]<=[4]}
  ROOT n = f32[2,8] negate(x), sharding={replicated}
})");
  EXPECT_THAT(text, HasSubstr("s32[1,8] iota(), iota_dimension=0"));
  EXPECT_THAT(text, HasSubstr("direction=LT"));
  EXPECT_THAT(text, HasSubstr("f32[2,8] all-reduce("));
  EXPECT_THAT(text, Not(HasSubstr("direction=EQ")));
}

TEST(EmitterTest, TheDevicesOfASingleGroupStandInTheirOwnOrder) {
  EXPECT_THAT(DeviceText(R"(HloModule m, num_partitions=4
ENTRY e {
  x = f32[1,8] parameter(0), sharding={devices=[4,1]2,0,1,3}
  ROOT n = f32[1,8] negate(x), sharding={replicated}
})"),
              HasSubstr("replica_groups=[1,4]<=[4]"));
}

}  // namespace
}  // namespace tessera::sharding::partition
