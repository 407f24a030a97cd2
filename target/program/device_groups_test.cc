#include "tessera/target/program/device_groups.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

using ::testing::HasSubstr;

hlo::Module Gathered(absl::string_view attributes) {
  return *hlo::ParseModule(absl::StrCat(
      "HloModule m, num_partitions=8\n\nENTRY e {\n  x = f32[8] parameter(0)\n"
      "  ROOT g = f32[32] all-gather(x), dimensions={0}, channel_id=1, use_global_device_ids=true",
      attributes, "\n}\n"));
}

absl::StatusOr<GroupsId> Of(DeviceGroups* groups, const hlo::Module& module) {
  return groups->Of(module, module.entry().root);
}

TEST(DeviceGroupsTest, EveryFormOfTheTextIsTheSame) {
  DeviceGroups groups(8);
  const auto list = Of(&groups, Gathered(", replica_groups={{0,1,2,3},{4,5,6,7}}"));
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(*Of(&groups, Gathered(", replica_groups=[2,4]<=[8]")), *list);
  EXPECT_EQ(*Of(&groups, Gathered(", replica_groups=mesh['a'=2,'b'=4] {'b'}")), *list);
  EXPECT_EQ(groups.SizeOf(*list), 4);
  EXPECT_EQ(groups.Text(*list), "{{0,1,2,3},{4,5,6,7}}");
}

TEST(DeviceGroupsTest, OrderCounts) {
  DeviceGroups groups(8);
  EXPECT_NE(*Of(&groups, Gathered(", replica_groups={{0,1,2,3},{4,5,6,7}}")),
            *Of(&groups, Gathered(", replica_groups={{1,0,2,3},{4,5,6,7}}")));
}

TEST(DeviceGroupsTest, NoGroupsAreOneOfAllDevices) {
  DeviceGroups groups(4);
  const auto all = Of(&groups, Gathered(", replica_groups={}"));
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(groups.Text(*all), "{{0,1,2,3}}");
}

TEST(DeviceGroupsTest, PairsAreGroupsOfTwo) {
  DeviceGroups groups(8);
  const hlo::Module module = *hlo::ParseModule(
      "HloModule m, num_partitions=8\n\nENTRY e {\n  x = f32[8] parameter(0)\n"
      "  ROOT p = f32[8] collective-permute(x), source_target_pairs={{0,1},{1,0}}\n}\n");
  EXPECT_EQ(groups.Text(*Of(&groups, module)), "{{0,1},{1,0}}");
}

TEST(DeviceGroupsTest, ADeviceThatIsNotThereIsAnError) {
  DeviceGroups groups(4);
  EXPECT_THAT(std::string(Of(&groups, Gathered(", replica_groups={{0,9}}")).status().message()),
              HasSubstr("names device 9; the module has 4"));
}

}  // namespace
}  // namespace tessera::target
