// Rules of element-wise ops and of ops that change the form of a tensor.

#include <string>

#include "gtest/gtest.h"
#include "tessera/testing/rules/rule_of_text.h"

namespace tessera::sharding::rules {
namespace {

struct Case {
  const char* instruction;
  const char* rule;
};

class ShapeOps : public ::testing::TestWithParam<Case> {};

TEST_P(ShapeOps, HaveTheRule) {
  EXPECT_EQ(RuleOf(GetParam().instruction), GetParam().rule) << GetParam().instruction;
}

INSTANTIATE_TEST_SUITE_P(
    ElementWise, ShapeOps,
    ::testing::Values(
        Case{"f32[] negate(f32[])", "([])->([])"},
        Case{"f32[3,1] add(f32[3,1], f32[3,1])", "([i, j], [i, j])->([i, j]) {i=3, j=1}"},
        Case{"f32[0] tanh(f32[0])", "([i])->([i]) {i=0}"},
        Case{"s32[7,2] convert(f32[7,2])", "([i, j])->([i, j]) {i=7, j=2}"},
        // Becomes a comparison with zeros.
        Case{"pred[7] convert(s8[7])", "([i], [i])->([i]) {i=7}"},
        Case{"f32[5,3] select(pred[], f32[5,3], f32[5,3])",
             "([], [i, j], [i, j])->([i, j]) {i=5, j=3}"},
        Case{"f32[5] clamp(f32[], f32[5], f32[])", "([], [i], [])->([i]) {i=5}"},
        Case{"f32[5,3] reverse(f32[5,3]), dimensions={1}",
             "([i, j])->([i, j]) {i=5, j=3} permutation={j}"},
        Case{"u8[6,4] bitcast-convert(u32[6])", "([i])->([i, j]) {i=6, j=4} need_replication={j}"},
        Case{"u32[6] bitcast-convert(u8[6,4])", "([i, j])->([i]) {i=6, j=4} need_replication={j}"},
        Case{"f32[6] bitcast-convert(s32[6])", "([i])->([i]) {i=6}"},
        Case{"f32[6] erf(f32[6])", "([i])->([i]) {i=6}"},
        Case{"f32[6] acosh(f32[6])", "([i])->([i]) {i=6}"},
        Case{"f32[6] bitcast(f32[2,3])", "none"}));

INSTANTIATE_TEST_SUITE_P(
    Broadcast, ShapeOps,
    ::testing::Values(
        Case{"f32[2,3] broadcast(f32[]), dimensions={}", "([])->([i, j]) {i=2, j=3}"},
        Case{"f32[2,7,3] broadcast(f32[7]), dimensions={1}", "([j])->([i, j, k]) {i=2, j=7, k=3}"},
        Case{"f32[1,7] broadcast(f32[1]), dimensions={0}", "([i])->([i, j]) {i=1, j=7}"},
        Case{"f32[2,5,3] transpose(f32[5,3,2]), dimensions={2,0,1}",
             "([j, k, i])->([i, j, k]) {i=2, j=5, k=3}"}));

INSTANTIATE_TEST_SUITE_P(
    Reshape, ShapeOps,
    ::testing::Values(Case{"f32[3,4,5] reshape(f32[12,5])",
                           "([ij, k])->([i, j, k]) {i=3, j=4, k=5}"},
                      Case{"f32[60] reshape(f32[3,4,5])", "([i, j, k])->([ijk]) {i=3, j=4, k=5}"},
                      Case{"f32[1,6,1] reshape(f32[2,1,3])",
                           "([j, k, l])->([i, jl, m]) {i=1, j=2, k=1, l=3, m=1} "
                           "need_replication={i, k, m}"},
                      Case{"f32[10,6] reshape(f32[4,15])",
                           "([ij, km])->([ij, lm]) {i=2, j=2, k=5, l=2, m=3} "
                           "need_replication={k, l} permutation={j}"},
                      Case{"f32[5,2] reshape(f32[2,5])",
                           "([i, j])->([i, k]) {i=2, j=5, k=2} need_replication={j, k} "
                           "permutation={i}"},
                      Case{"f32[] reshape(f32[1])", "([i])->([]) {i=1} need_replication={i}"},
                      Case{"f32[3,0] reshape(f32[0,7])", "none"}));

INSTANTIATE_TEST_SUITE_P(
    Slicing, ShapeOps,
    ::testing::Values(
        Case{"f32[4,3] slice(f32[9,3]), slice={[1:9:2], [0:3]}",
             "([i, j])->([i, j]) {i=9, j=3} permutation={i}"},
        Case{"f32[9,3] pad(f32[7,3], f32[]), padding=1_1x0_0",
             "([i, j], [])->([i, j]) {i=7, j=3} permutation={i}"},
        Case{"f32[7,3] pad(f32[7,3], f32[]), padding=1_-1x0_0",
             "([i, j], [])->([i, j]) {i=7, j=3} permutation={i}"},
        Case{"f32[7,3] pad(f32[3,3], f32[]), padding=1_-1_2x0_0",
             "([i, j], [])->([i, j]) {i=3, j=3} permutation={i}"},
        Case{"f32[1,3] dynamic-slice(f32[9,3], s32[], s32[]), dynamic_slice_sizes={1,3}",
             "([i, j], [], [])->([i, j]) {i=9, j=3} need_replication={i} blocked_propagation={i}"},
        Case{"f32[9,3] dynamic-update-slice(f32[9,3], f32[1,3], s32[], s32[])",
             "([i, k], [j, k], [], [])->([i, k]) {i=9, j=1, k=3} permutation={i, j}"},
        Case{"f32[9,3] concatenate(f32[5,3], f32[4,3]), dimensions={0}",
             "([i, j], [i, j])->([i, j]) {i=9, j=3} need_replication={i}"}));

TEST(ConservativeShapeOps, KeepJoinedAndCutDimensionsApart) {
  EXPECT_EQ(RuleOf("f32[9,3] concatenate(f32[5,3], f32[4,3]), dimensions={0}", "", Conservative()),
            "([j, i], [k, i])->([l, i]) {i=3, j=1, k=1, l=1}");
  EXPECT_EQ(RuleOf("f32[9,3] pad(f32[7,3], f32[]), padding=1_1x1_-1", "", Conservative()),
            "([i, j], [])->([i, j]) {i=7, j=3} permutation={i, j} blocked_propagation={i}");
  EXPECT_EQ(RuleOf("f32[4] slice(f32[9]), slice={[1:5]}", "", Conservative()),
            "([i])->([i]) {i=9} permutation={i} blocked_propagation={i}");
}

TEST(Neighbours, SlicesThatAreJoined) {
  const char* kTwoSources =
      "a = f32[6] parameter(0)\n b = f32[6] parameter(1)\n"
      "x = f32[2] slice(a), slice={[0:2]}\n y = f32[3] slice(b), slice={[1:4]}\n";
  EXPECT_EQ(
      RuleOfOpIn(std::string(kTwoSources) + "ROOT op = f32[5] concatenate(x, y), dimensions={0}"),
      "([i], [i])->([i]) {i=5} permutation={i}");
  EXPECT_EQ(
      RuleOfOpIn(std::string(kTwoSources) + "ROOT op = f32[8] concatenate(x, a), dimensions={0}"),
      "([i], [i])->([i]) {i=8} permutation={i}");
  EXPECT_EQ(
      RuleOfOpIn(std::string(kTwoSources) + "ROOT op = f32[8] concatenate(x, b), dimensions={0}"),
      "([i], [i])->([i]) {i=8} need_replication={i}");
  EXPECT_EQ(
      RuleOfOpIn(std::string(kTwoSources) + "t = (f32[2], f32[6]) tuple(x, b)\n"
                                            "x2 = f32[2] get-tuple-element(t), index=0\n"
                                            "ROOT op = f32[5] concatenate(x2, y), dimensions={0}"),
      "([i], [i])->([i]) {i=5} permutation={i}");
  EXPECT_EQ(
      RuleOfOpIn(std::string(kTwoSources) + "c = f32[2] copy(x)\n"
                                            "ROOT op = f32[5] concatenate(c, y), dimensions={0}"),
      "([i], [i])->([i]) {i=5} need_replication={i}");
}

TEST(Neighbours, ConstantIndices) {
  RuleMode older;
  older.behaviors.update_slices_permute = false;
  const char* kBody =
      "a = f32[8,4] parameter(0)\n u = f32[2,4] parameter(1)\n"
      "c = s32[] constant(3)\n z = s32[] constant(0)\n";
  EXPECT_EQ(RuleOfOpIn(std::string(kBody) + "ROOT op = f32[8,4] dynamic-update-slice(a, u, c, z)",
                       "", older),
            "([i, k], [j, k], [], [])->([i, k]) {i=8, j=2, k=4}");
  EXPECT_EQ(RuleOfOpIn(std::string(kBody) + "d = s32[] copy(c)\n"
                                            "ROOT op = f32[8,4] dynamic-update-slice(a, u, d, z)",
                       "", older),
            "([i, k], [j, k], [], [])->([i, k]) {i=8, j=2, k=4} need_replication={j}");
}

}  // namespace
}  // namespace tessera::sharding::rules
