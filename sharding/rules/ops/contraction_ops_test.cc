// Rules of products, convolutions, reductions and windows.

#include "gtest/gtest.h"
#include "tessera/testing/rules/rule_of_text.h"

namespace tessera::sharding::rules {
namespace {

constexpr char kAdd[] =
    "add {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] add(x, y)\n}\n"
    "ge {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n"
    " ROOT s = pred[] compare(x, y), direction=GE\n}\n";

struct Case {
  const char* instruction;
  const char* rule;
};

class ContractionOps : public ::testing::TestWithParam<Case> {};

TEST_P(ContractionOps, HaveTheRule) {
  EXPECT_EQ(RuleOf(GetParam().instruction, kAdd), GetParam().rule) << GetParam().instruction;
}

INSTANTIATE_TEST_SUITE_P(
    Dot, ContractionOps,
    ::testing::Values(
        Case{"f32[9,6] dot(f32[9,4], f32[4,6]), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
             "([i, k], [k, j])->([i, j]) {i=9, j=6, k=4} reduction={k}"},
        Case{
            "f32[3,9,6] dot(f32[9,3,4,5], f32[4,5,6,3]), lhs_batch_dims={1}, rhs_batch_dims={3}, "
            "lhs_contracting_dims={3,2}, rhs_contracting_dims={1,0}",
            "([j, i, m, l], [m, l, k, i])->([i, j, k]) {i=3, j=9, k=6, l=5, m=4} reduction={l, m}"},
        Case{"f32[] dot(f32[4], f32[4]), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
             "([i], [i])->([]) {i=4} reduction={i}"},
        Case{"f32[10,4] ragged-dot(f32[10,6], f32[3,6,4], s32[3]), lhs_contracting_dims={1}, "
             "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
             "([i, k], [l, k, j], [l])->([i, j]) {i=10, j=4, k=6, l=3} reduction={k} "
             "need_replication={i, l}"},
        Case{"f32[3,10,4] ragged-dot(f32[10,6], f32[6,4], s32[3]), lhs_contracting_dims={1}, "
             "rhs_contracting_dims={0}, lhs_ragged_dims={1}",
             "([i, k], [k, j], [l])->([l, i, j]) {i=10, j=4, k=6, l=3} need_replication={k, l}"}));

INSTANTIATE_TEST_SUITE_P(
    Convolution, ContractionOps,
    ::testing::Values(
        Case{"f32[5,8,3] convolution(f32[5,16,4], f32[3,4,3]), window={size=3 stride=2 pad=0_1}, "
             "dim_labels=b0f_0io->b0f",
             "([i, jk, l], [k, l, m])->([i, j, m]) {i=5, j=8, k=2, l=4, m=3} reduction={k, l} "
             "permutation={j}"},
        Case{"f32[5,8,6] convolution(f32[5,8,4], f32[3,2,6]), window={size=3 pad=1_1}, "
             "dim_labels=b0f_0io->b0f, feature_group_count=2",
             "([i, j, lm], [k, m, ln])->([i, j, ln]) {i=5, j=8, k=3, l=2, m=2, n=3} reduction={m} "
             "permutation={j, k}"},
        Case{"f32[3,8,6] convolution(f32[6,8,4], f32[3,4,6]), window={size=3 pad=1_1}, "
             "dim_labels=b0f_0io->b0f, batch_group_count=2",
             "([ij, k, m], [l, m, in])->([j, k, in]) {i=2, j=3, k=8, l=3, m=4, n=3} reduction={m} "
             "permutation={k, l}"},
        // Neither the kernel nor the windows get anything of a dimension of size one.
        Case{"f32[5,2,3] convolution(f32[5,1,4], f32[3,4,3]), window={size=3 pad=1_2}, "
             "dim_labels=b0f_0io->b0f",
             "([i, n, l], [j, l, m])->([i, k, m]) {i=5, j=3, k=2, l=4, m=3, n=1} reduction={l} "
             "permutation={j, k}"},
        Case{"f32[5,6] convolution(f32[5,4], f32[4,6]), dim_labels=bf_io->bf",
             "([i, j], [j, k])->([i, k]) {i=5, j=4, k=6} reduction={j}"}));

TEST(ConservativeContractionOps, LeaveSpatialDimensionsApart) {
  EXPECT_EQ(RuleOf("f32[5,8,3] convolution(f32[5,16,4], f32[3,4,3]), "
                   "window={size=3 stride=2 pad=0_1}, dim_labels=b0f_0io->b0f",
                   kAdd, Conservative()),
            "([i, l, j], [m, j, k])->([i, n, k]) {i=5, j=4, k=3, l=1, m=1, n=1} reduction={j}");
  EXPECT_EQ(RuleOf("f32[5,4] reduce-window(f32[5,8], f32[]), window={size=1x2 stride=1x2}, "
                   "to_apply=add",
                   kAdd, Conservative()),
            "([i, j], [])->([i, j]) {i=5, j=4} permutation={j} blocked_propagation={j}");
}

INSTANTIATE_TEST_SUITE_P(
    Reduce, ContractionOps,
    ::testing::Values(
        Case{"f32[7] reduce(f32[3,7,2], f32[]), dimensions={0,2}, to_apply=add",
             "([i, j, k], [])->([j]) {i=3, j=7, k=2} reduction={i, k}"},
        Case{"f32[] reduce(f32[3], f32[]), dimensions={0}, to_apply=add",
             "([i], [])->([]) {i=3} reduction={i}"},
        Case{"f32[5,4] reduce-window(f32[5,8], f32[]), window={size=1x2 stride=1x2}, to_apply=add",
             "([i, j], [])->([i, j]) {i=5, j=4} permutation={j}"},
        Case{
            "f32[5,8] select-and-scatter(f32[5,8], f32[5,4], f32[]), window={size=1x2 stride=1x2}, "
            "select=ge, scatter=add",
            "([i, k], [i, j], [])->([i, k]) {i=5, j=4, k=8} need_replication={j} "
            "permutation={k}"}));

INSTANTIATE_TEST_SUITE_P(
    Collectives, ContractionOps,
    ::testing::Values(
        Case{"f32[6,3] all-reduce(f32[6,3]), replica_groups={}, to_apply=add",
             "([i, j])->([i, j]) {i=6, j=3}"},
        Case{"f32[6,12] all-gather(f32[6,3]), replica_groups={{0,1,2,3}}, dimensions={1}",
             "([i, j])->([i, k]) {i=6, j=3, k=12} need_replication={j, k}"},
        Case{"f32[2,3] reduce-scatter(f32[6,3]), replica_groups={{0,1,2}}, dimensions={0}, "
             "to_apply=add",
             "([j, i])->([k, i]) {i=3, j=6, k=2} need_replication={j, k}"},
        Case{"f32[6,3] all-to-all(f32[6,3]), replica_groups={{0,1,2}}, dimensions={0}",
             "([j, i])->([k, i]) {i=3, j=6, k=6} need_replication={j, k}"},
        Case{"(f32[3], f32[3]) all-to-all(f32[3], f32[3]), replica_groups={{0,1}}", "none"}));

}  // namespace
}  // namespace tessera::sharding::rules
