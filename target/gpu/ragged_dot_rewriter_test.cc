// Products are those of XLA's GPU compiler (jax-cuda12-plugin 0.12.0.1) after ragged_dot_rewriter.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RaggedDotRewriterTest, RowsOfGroupsMeetAllWeights) {
  const std::string text =
      After(RewriteRaggedDots,
            "ENTRY e {\n"
            "  x = bf16[64,4] parameter(0)\n"
            "  w = bf16[8,4,6] parameter(1)\n"
            "  sizes = s32[8] parameter(2)\n"
            "  ROOT d = bf16[64,6] ragged-dot(x, w, sizes), lhs_contracting_dims={1}, "
            "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}\n"
            "}\n");
  EXPECT_THAT(text, Not(HasSubstr("ragged-dot")));
  EXPECT_THAT(text, AllOf(HasSubstr("s32[8]{0} reduce-window(sizes"),
                          HasSubstr("window={size=8 pad=7_0}"), HasSubstr("s32[7]{0} slice("),
                          HasSubstr("s32[8,64,4]{2,1,0} broadcast(iota), dimensions={1}"),
                          HasSubstr("pred[8,64,4]{2,1,0} and("),
                          HasSubstr("bf16[8,64,4]{2,1,0} broadcast(x), dimensions={1,2}"),
                          HasSubstr("bf16[64,6]{1,0} dot(select, w), lhs_contracting_dims={0,2}, "
                                    "rhs_contracting_dims={0,1}")));
}

TEST(RaggedDotRewriterTest, ContractedRowsAreABatchOfGroups) {
  EXPECT_THAT(After(RewriteRaggedDots,
                    "ENTRY e {\n"
                    "  x = bf16[64,4] parameter(0)\n"
                    "  y = bf16[64,6] parameter(1)\n"
                    "  sizes = s32[8] parameter(2)\n"
                    "  ROOT d = bf16[8,4,6] ragged-dot(x, y, sizes), lhs_contracting_dims={0}, "
                    "rhs_contracting_dims={0}, lhs_ragged_dims={0}\n"
                    "}\n"),
              AllOf(HasSubstr("bf16[8,64,4]{2,1,0} broadcast(x), dimensions={1,2}"),
                    HasSubstr("bf16[8,64,6]{2,1,0} broadcast(y), dimensions={1,2}"),
                    HasSubstr("bf16[8,4,6]{2,1,0} dot(select, select.1), lhs_batch_dims={0}, "
                              "lhs_contracting_dims={1}, rhs_batch_dims={0}, "
                              "rhs_contracting_dims={1}")));
}

// Groups of products of a batch: their sizes say nothing of which rows meet.
TEST(RaggedDotRewriterTest, GroupsOfABatchAreAProduct) {
  EXPECT_THAT(After(RewriteRaggedDots,
                    "ENTRY e {\n"
                    "  x = f32[64,4,5] parameter(0)\n"
                    "  w = f32[64,5,6] parameter(1)\n"
                    "  sizes = s32[8] parameter(2)\n"
                    "  ROOT d = f32[64,4,6] ragged-dot(x, w, sizes), lhs_batch_dims={0}, "
                    "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, "
                    "lhs_ragged_dims={0}\n"
                    "}\n"),
              AllOf(HasSubstr("dot(x, w)"), Not(HasSubstr("ragged"))));
}

}  // namespace
}  // namespace tessera::target
