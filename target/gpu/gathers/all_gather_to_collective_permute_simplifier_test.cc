// In a step of the real compiler (jax-cuda12-plugin 0.12.0.1), a recomputed layer read the gathered array and sliced
// its own part out of it: permutes from each device to itself.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Sliced(const std::string& table, const std::string& size = "4") {
  return After(
      ReplaceSlicedAllGathersByPermutes,
      "ENTRY e {\n  x = f32[4] parameter(0)\n"
      "  g = f32[8] all-gather(x), channel_id=1, replica_groups={{0,1},{2,3},{4,5},{6,7}}, "
      "dimensions={0}, use_global_device_ids=true\n  n = f32[8] negate(g)\n"
      "  t = s32[8] constant({" +
          table +
          "})\n  p = u32[] partition-id()\n"
          "  s = s32[1] dynamic-slice(t, p), dynamic_slice_sizes={1}\n  i = s32[] reshape(s)\n"
          "  d = f32[" +
          size + "] dynamic-slice(g, i), dynamic_slice_sizes={" + size +
          "}\n"
          "  ROOT r = (f32[8], f32[" +
          size + "]) tuple(n, d)\n}\n");
}

TEST(AllGatherToCollectivePermuteTest, OwnParts) {
  EXPECT_THAT(Sliced("0, 4, 0, 4, 0, 4, 0, 4"),
              HasSubstr("f32[4]{0} collective-permute(x), channel_id=2, source_target_pairs="
                        "{{0,0},{1,1},{2,2},{3,3},{4,4},{5,5},{6,6},{7,7}}"));
}

TEST(AllGatherToCollectivePermuteTest, PartsOfOthers) {
  EXPECT_THAT(Sliced("4, 0, 4, 0, 0, 4, 4, 0"),
              HasSubstr("{{1,0},{0,1},{3,2},{2,3},{4,4},{5,5},{7,6},{6,7}}"));
}

// A permute in which a device sends twice is invalid.
TEST(AllGatherToCollectivePermuteTest, NotOnePartToTwoDevices) {
  EXPECT_THAT(Sliced("0, 4, 0, 4, 0, 0, 0, 4"), Not(HasSubstr("collective-permute")));
}

TEST(AllGatherToCollectivePermuteTest, NotAcrossParts) {
  EXPECT_THAT(Sliced("0, 2, 0, 4, 0, 4, 0, 4"), Not(HasSubstr("collective-permute")));
  EXPECT_THAT(Sliced("0, 4, 0, 4, 0, 4, 0, 4", "2"), Not(HasSubstr("collective-permute")));
}

}  // namespace
}  // namespace tessera::target
