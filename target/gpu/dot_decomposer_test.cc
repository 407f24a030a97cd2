// Products are those of XLA's GPU compiler (jax-cuda12-plugin 0.12.0.1) after dot_decomposer and the
// simplifications that follow.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(DotDecomposerTest, WhatLiesAfterOneAnotherIsOneDimension) {
  const std::string text = After(DecomposeDots,
                                 "ENTRY e {\n"
                                 "  x = f32[4,8,2,3] parameter(0)\n"
                                 "  w = f32[2,3,6] parameter(1)\n"
                                 "  ROOT d = f32[4,8,6] dot(x, w), lhs_contracting_dims={2,3}, "
                                 "rhs_contracting_dims={0,1}\n"
                                 "}\n");
  EXPECT_THAT(text,
              AllOf(HasSubstr("f32[32,6]{1,0} reshape(x)"), HasSubstr("f32[6,6]{1,0} reshape(w)"),
                    HasSubstr("f32[32,6]{1,0} dot("), HasSubstr("f32[4,8,6]{2,1,0} reshape(")));
  EXPECT_THAT(text, Not(HasSubstr("transpose(")));
}

TEST(DotDecomposerTest, BatchDimensionsComeFirst) {
  EXPECT_THAT(
      After(DecomposeDots,
            "ENTRY e {\n"
            "  q = f32[8,64,4,32] parameter(0)\n"
            "  k = f32[8,64,4,32] parameter(1)\n"
            "  ROOT d = f32[8,4,64,64] dot(q, k), lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, "
            "lhs_contracting_dims={3}, rhs_contracting_dims={3}\n"
            "}\n"),
      AllOf(HasSubstr("f32[8,4,64,32]{3,2,1,0} transpose(q), dimensions={0,2,1,3}"),
            HasSubstr("f32[8,4,32,64]{3,2,1,0} transpose(k), dimensions={0,2,3,1}"),
            HasSubstr("lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, "
                      "rhs_contracting_dims={2}")));
}

// It is one with the transpose of the product, and no part of the product.
TEST(DotDecomposerTest, ATransposedOperandIsMovedToo) {
  EXPECT_THAT(
      After(DecomposeDots,
            "ENTRY e {\n"
            "  g = f32[2,512,8,128] parameter(0)\n"
            "  v = f32[2,64,8,128] parameter(1)\n"
            "  t = f32[2,8,128,512] transpose(g), dimensions={0,2,3,1}\n"
            "  ROOT d = f32[2,8,512,64] dot(t, v), lhs_batch_dims={0,1}, lhs_contracting_dims={2}, "
            "rhs_batch_dims={0,2}, rhs_contracting_dims={3}\n"
            "}\n"),
      AllOf(HasSubstr("f32[2,8,512,128]{3,2,1,0} transpose(t), dimensions={0,1,3,2}"),
            HasSubstr("lhs_contracting_dims={3}")));
}

// XLA takes such a product out before; here it must keep its elements.
TEST(DotDecomposerTest, AProductWithoutElements) {
  EXPECT_THAT(After(DecomposeDots,
                    "ENTRY e {\n"
                    "  x = f32[0,2,3] parameter(0)\n"
                    "  w = f32[2,3,6] parameter(1)\n"
                    "  ROOT d = f32[0,6] dot(x, w), lhs_contracting_dims={1,2}, "
                    "rhs_contracting_dims={0,1}\n"
                    "}\n"),
              AllOf(HasSubstr("f32[0,6]{1,0} reshape(x)"), HasSubstr("f32[0,6]{1,0} dot(")));
}

// A dimension of one element goes, so that the product is one of a matrix and a vector.
TEST(DotDecomposerTest, AFreeDimensionOfOneElementGoes) {
  EXPECT_THAT(After(DecomposeDots,
                    "ENTRY e {\n"
                    "  x = f32[1,2,3] parameter(0)\n"
                    "  w = f32[2,3,6] parameter(1)\n"
                    "  ROOT d = f32[1,6] dot(x, w), lhs_contracting_dims={1,2}, "
                    "rhs_contracting_dims={0,1}\n"
                    "}\n"),
              AllOf(HasSubstr("f32[6]{0} reshape(x)"), HasSubstr("f32[6]{0} dot("),
                    HasSubstr("ROOT reshape.2 = f32[1,6]{1,0} reshape(")));
}

TEST(DotDecomposerTest, APlainProductStays) {
  EXPECT_THAT(After(DecomposeDots,
                    "ENTRY e {\n"
                    "  x = f32[4,8] parameter(0)\n"
                    "  w = f32[6,8] parameter(1)\n"
                    "  ROOT d = f32[4,6] dot(x, w), lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={1}\n"
                    "}\n"),
              HasSubstr("ROOT d = f32[4,6]{1,0} dot(x, w)"));
}

std::string ContractsBackwards(const std::string& layout) {
  return After(DecomposeDots,
               "ENTRY e {\n"
               "  x = f32[8,128,2,32]" +
                   layout +
                   " parameter(0)\n"
                   "  w = f32[2,32,256] parameter(1)\n"
                   "  ROOT d = f32[8,128,256] dot(x, w), lhs_contracting_dims={3,2}, "
                   "rhs_contracting_dims={1,0}\n"
                   "}\n");
}

TEST(DotDecomposerTest, ContractedDimensionsAreListedInTheirOrder) {
  EXPECT_THAT(ContractsBackwards("{3,2,1,0}"), Not(HasSubstr("transpose(")));
}

// As in XLA, where the order in memory may be a transpose that is folded later.
TEST(DotDecomposerTest, NotOfAnOperandInAnotherOrder) {
  EXPECT_THAT(ContractsBackwards("{1,3,2,0}"),
              AllOf(HasSubstr("transpose(x), dimensions={0,1,3,2}"),
                    HasSubstr("transpose(w), dimensions={1,0,2}")));
}

}  // namespace
}  // namespace tessera::target
