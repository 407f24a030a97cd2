
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Gathered(const std::string& indices, const std::string& gather) {
  return After(SimplifyGathers, "ENTRY e {\n  x = f32[100,64] parameter(0)\n  i = " + indices +
                                    " parameter(1)\n  ROOT g = " + gather + "\n}\n");
}

TEST(GatherSimplifierTest, KeepsWholeSlices) {
  EXPECT_THAT(Gathered("s32[4,16,1]",
                       "f32[4,16,64] gather(x, i), offset_dims={2}, collapsed_slice_dims={0}, "
                       "start_index_map={0}, index_vector_dim=2, slice_sizes={1,64}"),
              AllOf(HasSubstr("s32[64,1]{1,0} reshape(i)"),
                    HasSubstr("f32[64,1,64]{2,1,0} gather(x, reshape), offset_dims={1,2}, "
                              "collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, "
                              "slice_sizes={1,64}"),
                    HasSubstr("f32[4,16,64]{2,1,0} reshape("), Not(HasSubstr("transpose("))));
}

TEST(GatherSimplifierTest, SlicesStandAfterTheirIndex) {
  EXPECT_THAT(Gathered("s32[24]",
                       "f32[100,24] gather(x, i), offset_dims={0}, "
                       "collapsed_slice_dims={1}, start_index_map={1}, "
                       "index_vector_dim=1, slice_sizes={100,1}"),
              AllOf(HasSubstr("f32[24,100,1]{2,1,0} gather(x, reshape)"),
                    HasSubstr("f32[24,100]{1,0} reshape(g"), HasSubstr("dimensions={1,0}")));
}

TEST(GatherSimplifierTest, LeavesWhatIsSimple) {
  EXPECT_THAT(Gathered("s32[24,1]",
                       "f32[24,1,64] gather(x, i), offset_dims={1,2}, "
                       "collapsed_slice_dims={}, start_index_map={0}, "
                       "index_vector_dim=1, slice_sizes={1,64}"),
              Not(HasSubstr("reshape(")));
}

}  // namespace
}  // namespace tessera::target
