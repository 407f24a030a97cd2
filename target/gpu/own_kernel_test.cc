#include "tessera/target/gpu/own_kernel.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "tessera/target/target.h"

namespace tessera::target {
namespace {

// Of devices 0, 1, ..
bool Runs(const char* target, int64_t bytes, int64_t devices) {
  std::vector<int64_t> group(static_cast<size_t>(devices));
  std::iota(group.begin(), group.end(), 0);
  return RunsByOwnKernel(*ParseTarget(target), bytes, group);
}

TEST(OwnKernelTest, SmallSums) {
  EXPECT_TRUE(Runs("h100:1x1x8", 4, 8));
  EXPECT_TRUE(Runs("h100:1x1x8", 262144, 8));
  EXPECT_FALSE(Runs("a100:1x1x8", 4, 8));
  EXPECT_FALSE(Runs("h100:1x1x8", 4, 6));
  EXPECT_FALSE(Runs("h100:1x1x8", 4, 1));
}

// As in the compiler's modules of transformers on 8 H100.
TEST(OwnKernelTest, LargerOnesByTheirParts) {
  EXPECT_TRUE(Runs("h100:1x1x8", 16777216, 2));
  EXPECT_TRUE(Runs("h100:1x1x8", 8388608, 4));
  EXPECT_FALSE(Runs("h100:1x1x8", 16777216, 4));
}

TEST(OwnKernelTest, NvlinkJoinsTheDevices) {
  EXPECT_TRUE(Runs("h100:1x2x8", 4096, 16));
  EXPECT_FALSE(Runs("h100:2x1x8", 4096, 16));
  EXPECT_TRUE(Runs("h100:2x1x8", 4096, 8));
}

}  // namespace
}  // namespace tessera::target
