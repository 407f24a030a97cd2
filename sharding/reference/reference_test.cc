#include "tessera/sharding/reference/reference.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/reference/behavior_table.h"

namespace tessera::sharding::reference {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string VersionOf(const char* text) {
  const auto reference = FindReference(text);
  return reference.ok() ? reference->version : std::string(reference.status().message());
}

TEST(ReferenceTest, NamesOfVersions) {
  EXPECT_EQ(VersionOf("0.12.0.1"), "0.12.0.1");
  EXPECT_EQ(VersionOf("0.12"), "0.12.0.1");
  EXPECT_EQ(VersionOf("0.11"), "0.11.2");
  EXPECT_EQ(VersionOf("0.10"), "0.10.2");
  EXPECT_EQ(VersionOf("0.9.1"), "0.9.1");
  EXPECT_EQ(VersionOf("0.9.0"), "0.9.0");
  EXPECT_EQ(VersionOf("0.9.0.1"), "0.9.0.1");
  EXPECT_EQ(VersionOf("0.12.0"), "0.12.0");
  EXPECT_THAT(VersionOf("0.8.1"), HasSubstr("'0.8.1' is not supported"));
  EXPECT_THAT(VersionOf("0.6.0"), HasSubstr("known are 0.12.0.1"));
  EXPECT_THAT(VersionOf("0.10.7"), HasSubstr("not a known version"));
  EXPECT_THAT(VersionOf("ten"), HasSubstr("is not a version"));
  EXPECT_THAT(VersionOf(""), HasSubstr("is not a version"));
}

TEST(ReferenceTest, NewerThanKnownIsTheNewestWithANote) {
  const auto newer = FindReference("0.13.0");
  ASSERT_TRUE(newer.ok());
  EXPECT_EQ(newer->version, "0.12.0.1");
  EXPECT_THAT(newer->note, HasSubstr("0.13.0 is newer"));
  EXPECT_THAT(FindReference("0.12")->note, IsEmpty());
}

TEST(ReferenceTest, RowsAreRevertedDownToTheVersion) {
  const Behaviors newest = FindReference("0.12.0.1")->behaviors;
  EXPECT_TRUE(newest.pred_conditionals_propagate);
  EXPECT_FALSE(newest.single_device_second_copy);
  const Behaviors eleven = FindReference("0.11.2")->behaviors;
  EXPECT_FALSE(eleven.pred_conditionals_propagate);
  EXPECT_TRUE(eleven.single_device_second_copy);
  EXPECT_TRUE(eleven.named_shardings_by_default);
  const Behaviors ten = FindReference("0.10.2")->behaviors;
  EXPECT_FALSE(ten.named_shardings_by_default);
  EXPECT_FALSE(ten.single_device_second_copy);
  EXPECT_TRUE(ten.cut_sub_axes_at_border);
  EXPECT_EQ(FindReference("0.9.1")->behaviors.becoming_unreduced, BecomingUnreduced::kNoReshard);
  EXPECT_EQ(FindReference("0.8.3")->behaviors.becoming_unreduced, BecomingUnreduced::kShardedFirst);
  EXPECT_EQ(FindReference("0.7.2")->behaviors.becoming_unreduced, BecomingUnreduced::kCopy);
  EXPECT_TRUE(FindReference("0.7.2")->behaviors.tie_by_local_size);
}

TEST(ReferenceTest, TableRunsFromTheNewestToTheOldest) {
  std::vector<int> last = {1 << 20};
  for (const Behavior& row : BehaviorTable()) {
    std::vector<int> since;
    for (size_t begin = 0; begin <= row.since.size();) {
      const size_t end = std::min(row.since.find('.', begin), row.since.size());
      since.push_back(std::stoi(std::string(row.since.substr(begin, end - begin))));
      begin = end + 1;
    }
    EXPECT_LE(since, last) << row.name;
    last = since;
  }
}

}  // namespace
}  // namespace tessera::sharding::reference
