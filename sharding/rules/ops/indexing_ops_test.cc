// Rules of gather, scatter, sort, factorisations and the odd ones.

#include "gtest/gtest.h"
#include "tessera/testing/rules/rule_of_text.h"

namespace tessera::sharding::rules {
namespace {

constexpr char kComputations[] =
    "add {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] add(y, x)\n}\n"
    "put {\n x = f32[] parameter(0)\n ROOT y = f32[] parameter(1)\n}\n"
    "sub {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] subtract(x, y)\n}\n"
    "twice {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] add(y, y)\n}\n"
    "any {\n x = pred[] parameter(0)\n y = pred[] parameter(1)\n ROOT s = pred[] add(x, y)\n}\n"
    "bits {\n x = s32[] parameter(0)\n y = s32[] parameter(1)\n ROOT s = s32[] or(x, y)\n}\n"
    "lt {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n"
    " ROOT s = pred[] compare(x, y), direction=LT\n}\n";

struct Case {
  const char* instruction;
  const char* rule;
};

class IndexingOps : public ::testing::TestWithParam<Case> {};

TEST_P(IndexingOps, HaveTheRule) {
  EXPECT_EQ(RuleOf(GetParam().instruction, kComputations), GetParam().rule)
      << GetParam().instruction;
}

INSTANTIATE_TEST_SUITE_P(
    Gather, IndexingOps,
    ::testing::Values(
        // Rows of a table.
        Case{"f32[5,7] gather(f32[9,7], s32[5,1]), offset_dims={1}, collapsed_slice_dims={0}, "
             "start_index_map={0}, index_vector_dim=1, slice_sizes={1,7}",
             "([k, j], [i, l])->([i, j]) {i=5, j=7, k=9, l=1} reduction={k} need_replication={l}"},
        // Parts of rows, the index vector left out.
        Case{"f32[5,3] gather(f32[9,7], s32[5]), offset_dims={1}, collapsed_slice_dims={0}, "
             "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}",
             "([k, j], [i])->([i, j]) {i=5, j=7, k=9} reduction={k} need_replication={j} "
             "blocked_propagation={j}"},
        // One row for each batch.
        Case{"f32[4,7] gather(f32[4,9,7], s32[4,1]), offset_dims={1}, collapsed_slice_dims={1}, "
             "start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, "
             "index_vector_dim=1, slice_sizes={1,1,7}",
             "([i, k, j], [i, l])->([i, j]) {i=4, j=7, k=9, l=1} reduction={k} "
             "need_replication={l}"}));

INSTANTIATE_TEST_SUITE_P(
    Scatter, IndexingOps,
    ::testing::Values(
        Case{"f32[9,7] scatter(f32[9,7], s32[5,1], f32[5,7]), update_window_dims={1}, "
             "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
             "to_apply=add",
             "([k, j], [i, l], [i, j])->([k, j]) {i=5, j=7, k=9, l=1} reduction={i} "
             "need_replication={l}"},
        Case{"f32[9,7] scatter(f32[9,7], s32[5,1], f32[5,7]), update_window_dims={1}, "
             "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
             "to_apply=put",
             "([k, j], [i, l], [i, j])->([k, j]) {i=5, j=7, k=9, l=1} need_replication={i, l}"},
        Case{"f32[9] scatter(f32[9], s32[5,1], f32[5]), update_window_dims={}, "
             "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
             "to_apply=sub",
             "([j], [i, k], [i])->([j]) {i=5, j=9, k=1} need_replication={i, k}"},
        Case{"f32[9] scatter(f32[9], s32[5,1], f32[5]), update_window_dims={}, "
             "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
             "to_apply=twice",
             "([j], [i, k], [i])->([j]) {i=5, j=9, k=1} need_replication={i, k}"},
        Case{"pred[9] scatter(pred[9], s32[5,1], pred[5]), update_window_dims={}, "
             "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
             "to_apply=any",
             "([j], [i, k], [i])->([j]) {i=5, j=9, k=1} reduction={i} need_replication={k}"},
        Case{"s32[9] scatter(s32[9], s32[5,1], s32[5]), update_window_dims={}, "
             "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
             "to_apply=bits",
             "([j], [i, k], [i])->([j]) {i=5, j=9, k=1} need_replication={i, k}"}));

INSTANTIATE_TEST_SUITE_P(
    Sorting, IndexingOps,
    ::testing::Values(
        Case{"f32[4,6] sort(f32[4,6]), dimensions={1}, to_apply=lt",
             "([i, j])->([i, j]) {i=4, j=6} need_replication={j}"},
        Case{"f32[1,6] sort(f32[1,6]), dimensions={1}, to_apply=lt",
             "([i, j])->([i, j]) {i=1, j=6} need_replication={j} blocked_propagation={j}"},
        Case{
            "(f32[4,2], s32[4,2]) topk(f32[4,6]), k=2, largest=true",
            "([i, j])->([i, j], [i, j]) {i=4, j=6} need_replication={j} blocked_propagation={j}"}));

INSTANTIATE_TEST_SUITE_P(
    LinearAlgebra, IndexingOps,
    ::testing::Values(
        Case{"f32[3,5,5] cholesky(f32[3,5,5])",
             "([i, j, k])->([i, j, k]) {i=3, j=5, k=5} need_replication={j, k}"},
        Case{"f32[5,7] triangular-solve(f32[5,5], f32[5,7]), left_side=true, lower=true, "
             "transpose_a=NO_TRANSPOSE",
             "([i, k], [i, j])->([k, j]) {i=5, j=7, k=5} need_replication={i, j, k}"},
        Case{"f32[7,5] triangular-solve(f32[5,5], f32[7,5]), left_side=false, lower=true, "
             "transpose_a=TRANSPOSE",
             "([j, k], [i, j])->([i, k]) {i=7, j=5, k=5} need_replication={i, j, k}"}));

INSTANTIATE_TEST_SUITE_P(
    Rest, IndexingOps,
    ::testing::Values(
        Case{"f32[3,8] batch-norm-inference(f32[3,8], f32[8], f32[8], f32[8], f32[8]), "
             "epsilon=0.1, feature_index=1",
             "([i, j], [j], [j], [j], [j])->([i, j]) {i=3, j=8}"},
        Case{"c64[3,5] fft(f32[3,8]), fft_type=RFFT, fft_length={8}",
             "([i, j])->([i, j]) {i=3, j=8} need_replication={j} blocked_propagation={j}"},
        Case{"c64[3,8] fft(c64[3,8]), fft_type=FFT, fft_length={8}",
             "([i, j])->([i, j]) {i=3, j=8} need_replication={j}"},
        Case{"(u64[2], u32[5,7]) rng-bit-generator(u64[2]), algorithm=rng_default",
             "([i])->([i], [j, k]) {i=2, j=5, k=7} need_replication={i} blocked_propagation={i}"},
        Case{"u32[5,7] rng-bit-generator(u64[2]), algorithm=rng_default",
             "([i])->([i], [j, k]) {i=2, j=5, k=7} need_replication={i} blocked_propagation={i}"},
        Case{"f32[3] rng(f32[], f32[]), distribution=rng_uniform", "none"}));

}  // namespace
}  // namespace tessera::sharding::rules
