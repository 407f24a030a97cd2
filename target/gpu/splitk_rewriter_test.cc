// Numbers of parts are those that XLA's GPU compiler chose (jax-cuda12-plugin 0.12.0.1, an H100), in whole
// training steps.

#include "tessera/target/gpu/splitk_rewriter.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/passes/after_pass.h"
#include "tessera/target/target.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const Chip& H100() { return *ParseTarget("h100:8")->chip; }

ProductSizes Bf16(int64_t batch, int64_t rows, int64_t columns, int64_t contracted) {
  return {batch, rows, columns, contracted, 16, 16, 32, 16};
}

ProductSizes F32(int64_t batch, int64_t rows, int64_t columns, int64_t contracted) {
  return {batch, rows, columns, contracted};
}

TEST(PartsOfProductTest, FewTiles) {
  EXPECT_EQ(PartsOfProduct(Bf16(1, 64, 128, 4096), H100()), 32);
  EXPECT_EQ(PartsOfProduct(Bf16(1, 256, 64, 1024), H100()), 16);
  EXPECT_EQ(PartsOfProduct(F32(1, 128, 256, 16384), H100()), 64);
  EXPECT_EQ(PartsOfProduct(F32(1, 520, 64, 256), H100()), 4);
}

TEST(PartsOfProductTest, ManyTilesOrLittleToContract) {
  EXPECT_EQ(PartsOfProduct(Bf16(1, 4096, 512, 32000), H100()), 1);
  EXPECT_EQ(PartsOfProduct(Bf16(1, 2048, 768, 3072), H100()), 1);
  EXPECT_EQ(PartsOfProduct(F32(1, 16384, 1, 2048), H100()), 1);
}

TEST(PartsOfProductTest, BatchesAreTilesToo) {
  EXPECT_EQ(PartsOfProduct(Bf16(8, 64, 1024, 2048), H100()), 4);
  EXPECT_EQ(PartsOfProduct(Bf16(16, 1024, 64, 4096), H100()), 2);
  EXPECT_EQ(PartsOfProduct(Bf16(64, 128, 4, 4096), H100()), 4);
}

TEST(PartsOfProductTest, NarrowElementsThatAreConverted) {
  EXPECT_EQ(PartsOfProduct({1, 128, 7168, 8192, 8, 8, 32, 32}, H100()), 4);
}

// A bitcast that exchanges dimensions is another layout: the sum is converted as it lies.
TEST(SplitkRewriterTest, TheSumIsConvertedInTheLayoutOfItsReader) {
  EXPECT_THAT(After(SplitProducts,
                    "ENTRY e {\n"
                    "  x = bf16[64,1024] parameter(0)\n"
                    "  w = bf16[1024,256] parameter(1)\n"
                    "  d = bf16[64,256] dot(x, w), lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={0}\n"
                    "  b = bf16[1,256,64] bitcast(d)\n"
                    "  ROOT n = bf16[1,256,64] negate(b)\n"
                    "}\n"),
              AllOf(HasSubstr("f32[1,256,64]{2,1,0} bitcast(reduce)"),
                    HasSubstr("bf16[1,256,64]{2,1,0} convert(bitcast")));
}

TEST(SplitkRewriterTest, ThePartsAreSummed) {
  EXPECT_THAT(
      After(SplitProducts,
            "ENTRY e {\n"
            "  x = bf16[64,1024] parameter(0)\n"
            "  w = bf16[1024,256] parameter(1)\n"
            "  ROOT d = bf16[64,256] dot(x, w), lhs_contracting_dims={1}, "
            "rhs_contracting_dims={0}\n"
            "}\n"),
      AllOf(HasSubstr("bf16[64,16,64]{2,1,0} bitcast(x)"),
            HasSubstr("bf16[16,64,256]{2,1,0} bitcast(w)"), HasSubstr("f32[16,64,256]{2,1,0} dot("),
            HasSubstr("lhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
                      "rhs_contracting_dims={1}"),
            HasSubstr("f32[64,256]{1,0} reduce("), HasSubstr("dimensions={0}"),
            HasSubstr("ROOT convert")));
}

// XLA aligns each part to 16 bytes.
TEST(SplitkRewriterTest, WhatDoesNotDivideIsPadded) {
  EXPECT_THAT(After(SplitProducts,
                    "ENTRY e {\n"
                    "  x = f32[128,520] parameter(0)\n"
                    "  w = f32[520,256] parameter(1)\n"
                    "  ROOT d = f32[128,256] dot(x, w), lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={0}\n"
                    "}\n"),
              AllOf(HasSubstr("f32[128,544]{1,0} pad(x, "), HasSubstr("padding=0_0x0_24"),
                    HasSubstr("f32[544,256]{1,0} pad(w, "), HasSubstr("padding=0_24x0_0"),
                    HasSubstr("f32[128,8,68]"), Not(HasSubstr("convert"))));
}

TEST(SplitkRewriterTest, ABatchStaysInFront) {
  EXPECT_THAT(After(SplitProducts,
                    "ENTRY e {\n"
                    "  x = bf16[8,64,2048] parameter(0)\n"
                    "  w = bf16[8,2048,1024] parameter(1)\n"
                    "  ROOT d = bf16[8,64,1024] dot(x, w), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                    "lhs_contracting_dims={2}, rhs_contracting_dims={1}\n"
                    "}\n"),
              AllOf(HasSubstr("f32[8,4,64,1024]{3,2,1,0} dot("),
                    HasSubstr("lhs_batch_dims={0,2}, lhs_contracting_dims={3}, "
                              "rhs_batch_dims={0,1}, rhs_contracting_dims={2}"),
                    HasSubstr("dimensions={1}")));
}

}  // namespace
}  // namespace tessera::target
