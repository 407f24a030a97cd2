// A whole program of the real compiler: target/gpu/testdata/select_and_scatter_expander.

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/gpu/scatters/scatter_passes.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kComputations[] =
    "ge {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
    "  ROOT c = pred[] compare(a, b), direction=GE\n}\n"
    "add {\n  d = f32[] parameter(0)\n  f = f32[] parameter(1)\n  ROOT g = f32[] add(d, f)\n}\n";

TEST(SelectAndScatterExpanderTest, ChoosesAPlaceInEachWindow) {
  const std::string text =
      After(ExpandSelectAndScatters,
            std::string(kComputations) +
                "ENTRY e {\n  x = f32[8,9] parameter(0)\n  s = f32[8,4] parameter(1)\n"
                "  z = f32[] constant(0)\n  ROOT y = f32[8,9] select-and-scatter(x, s, z), "
                "window={size=1x3 stride=1x2}, select=ge, scatter=add\n}\n");
  EXPECT_THAT(
      text,
      AllOf(HasSubstr(
                "(f32[8,4]{1,0}, s32[8,4]{1,0}, s32[8,4]{1,0}) reduce-window(x, iota, iota.1, z, "
                "constant, constant), window={size=1x3 stride=1x2}"),
            HasSubstr("s32[8,4,2]{2,1,0} concatenate("),
            HasSubstr("f32[8,9]{1,0} scatter(broadcast, "), Not(HasSubstr("select-and-scatter("))));
}

std::string Scattered(const std::string& shapes, const std::string& attributes) {
  return After(SimplifyScatters, std::string(kComputations) +
                                     "ENTRY e {\n  x = f32[100,64] parameter(0)\n" + shapes +
                                     "  ROOT y = f32[100,64] scatter(x, i, u), " + attributes +
                                     ", to_apply=add\n}\n");
}

TEST(ScatterSimplifierTest, TakesWholeWindows) {
  EXPECT_THAT(Scattered("  i = s32[4,16,1] parameter(1)\n  u = f32[4,16,64] parameter(2)\n",
                        "update_window_dims={2}, inserted_window_dims={0}, "
                        "scatter_dims_to_operand_dims={0}, index_vector_dim=2"),
              AllOf(HasSubstr("s32[64,1]{1,0} reshape(i)"), HasSubstr("f32[64,64]{1,0} reshape(u)"),
                    HasSubstr("f32[64,1,64]{2,1,0} reshape("),
                    HasSubstr("update_window_dims={1,2}, inserted_window_dims={}, "
                              "scatter_dims_to_operand_dims={0}, index_vector_dim=1")));
}

TEST(ScatterSimplifierTest, WindowsStandAfterTheirIndex) {
  EXPECT_THAT(Scattered("  i = s32[24,1] parameter(1)\n  u = f32[64,24] parameter(2)\n",
                        "update_window_dims={0}, inserted_window_dims={0}, "
                        "scatter_dims_to_operand_dims={0}, index_vector_dim=1"),
              AllOf(HasSubstr("f32[24,64]{1,0} transpose(u), dimensions={1,0}"),
                    HasSubstr("f32[24,1,64]{2,1,0} reshape(transpose)")));
}

TEST(ScatterSimplifierTest, NotIntoColumns) {
  EXPECT_THAT(Scattered("  i = s32[24,1] parameter(1)\n  u = f32[100,24] parameter(2)\n",
                        "update_window_dims={0}, inserted_window_dims={1}, "
                        "scatter_dims_to_operand_dims={1}, index_vector_dim=1"),
              Not(HasSubstr("reshape(")));
}

std::string Sliced(const std::string& slice, const std::string& updates) {
  return After(
      SliceBeforeScatters,
      std::string(kComputations) +
          "ENTRY e {\n  z = f32[] constant(0)\n  x = f32[8,9] broadcast(z), dimensions={}\n"
          "  i = s32[4,2] parameter(0)\n  u = " +
          updates + "  ROOT y = " + slice + "\n}\n");
}

constexpr char kElements[] =
    "f32[4,1,1] parameter(1)\n  t = f32[8,9] scatter(x, i, u), update_window_dims={1,2}, "
    "inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, "
    "to_apply=add\n";

TEST(ScatterSliceSimplifierTest, ScattersIntoTheFirstPart) {
  EXPECT_THAT(Sliced("f32[8,8] slice(t), slice={[0:8], [0:8]}", kElements),
              HasSubstr("f32[8,8]{1,0} scatter("));
  EXPECT_THAT(Sliced("f32[8,8] slice(t), slice={[0:8], [1:9]}", kElements),
              HasSubstr("f32[8,9]{1,0} scatter("));
}

TEST(ScatterSliceSimplifierTest, NotAcrossWindows) {
  const std::string rows =
      "f32[4,1,9] parameter(1)\n  t = f32[8,9] scatter(x, i, u), update_window_dims={1,2}, "
      "inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, "
      "to_apply=add\n";
  EXPECT_THAT(Sliced("f32[8,8] slice(t), slice={[0:8], [0:8]}", rows),
              HasSubstr("f32[8,9]{1,0} scatter("));
}

}  // namespace
}  // namespace tessera::target
