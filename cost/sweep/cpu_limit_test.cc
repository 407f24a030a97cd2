#include "tessera/cost/sweep/cpu_limit.h"

#include <sched.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/cost/sweep/parallel.h"

namespace tessera::cost {
namespace {

class CpuLimitTest : public ::testing::Test {
 protected:
  CpuLimitTest()
      : root_(absl::StrCat(::testing::TempDir(), "/",
                           ::testing::UnitTest::GetInstance()->current_test_info()->name())) {}

  void Write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = absl::StrCat(root_, "/", file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  int Limit(const std::string& groups) {
    Write("groups", groups);
    return CpuLimit(root_ + "/groups", root_);
  }

  std::string root_;
};

TEST_F(CpuLimitTest, OfVersion2TheLeastUpwardsCounts) {
  Write("cpu.max", "max 100000\n");
  EXPECT_EQ(Limit("0::/\n"), 0);
  Write("pod/cpu.max", "350000 100000\n");
  Write("pod/one/cpu.max", "800000 100000\n");
  EXPECT_EQ(Limit("0::/pod/one\n"), 4);
  Write("pod/one/cpu.max", "150000 100000\n");
  EXPECT_EQ(Limit("0::/pod/one\n"), 2);
  EXPECT_EQ(Limit("0::/pod/other\n"), 4);
}

TEST_F(CpuLimitTest, OfVersion1) {
  Write("cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  Write("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  const std::string groups = "5:memory:/job\n4:cpu,cpuacct:/job\n";
  EXPECT_EQ(Limit(groups), 0);
  Write("cpu,cpuacct/job/cpu.cfs_quota_us", "50000\n");
  EXPECT_EQ(Limit(groups), 1);
  EXPECT_EQ(Limit("5:cpuset:/job\n"), 0);
}

// The folder of its own group is the root of what a container sees.
TEST_F(CpuLimitTest, OfAContainerWithItsGroupAsTheRoot) {
  Write("cpu/cpu.cfs_quota_us", "300000\n");
  Write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Limit("4:cpu,cpuacct:/docker/0123\n"), 3);
}

TEST_F(CpuLimitTest, WithoutGroupsThereIsNoLimit) {
  EXPECT_EQ(CpuLimit("/nowhere", "/nowhere"), 0);
  EXPECT_EQ(Limit("no groups\n\n:\n"), 0);
}

TEST(AffinityTest, ThreadsAreAsManyAsItLeaves) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(CpusOfAffinity(), CPU_COUNT(&before));
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(CpusOfAffinity(), 1);
  EXPECT_EQ(NumCores(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

}  // namespace
}  // namespace tessera::cost
