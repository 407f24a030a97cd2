
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Split(const std::string& from, const std::string& to, const std::string& dimensions) {
  return After(
      SplitReductions,
      "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n"
      "ENTRY e {\n  x = f32[" +
          from + "] parameter(0)\n  z = f32[] constant(0)\n  ROOT r = f32[" + to +
          "] reduce(x, z), dimensions={" + dimensions + "}, to_apply=add\n}\n");
}

TEST(ReductionSplitterTest, TheLargestDimensionFirst) {
  EXPECT_THAT(Split("4,512,32,16", "4,32", "1,3"),
              AllOf(HasSubstr("f32[4,32,16]{2,1,0} reduce(x, z), dimensions={1}"),
                    HasSubstr("f32[4,32]{1,0} reduce(r.1, z), dimensions={2}")));
  EXPECT_THAT(Split("4,16,32,512", "4,32", "1,3"), HasSubstr("reduce(x, z), dimensions={3}"));
}

TEST(ReductionSplitterTest, DimensionsSideBySideAreOne) {
  EXPECT_THAT(Split("4,16,16,32,128", "4,32", "1,2,4"),
              AllOf(HasSubstr("f32[4,256,32,128]{3,2,1,0} bitcast(x)"),
                    HasSubstr("f32[4,32,128]{2,1,0} reduce(bitcast, z), dimensions={1}")));
}

TEST(ReductionSplitterTest, NotWhatGoesByTiles) {
  EXPECT_THAT(Split("8,32,128", "32", "0,2"), HasSubstr("reduce(x, z), dimensions={0,2}"));
}

}  // namespace
}  // namespace tessera::target
