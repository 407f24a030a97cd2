#include "tessera/cost/memory/gpu_latencies.h"

#include "gtest/gtest.h"

namespace tessera::cost {
namespace {

using hlo::Opcode;

target::Product ProductOf(double m, double k, double n, double batch, double width) {
  target::Product product;
  product.m = m;
  product.k = k;
  product.n = n;
  product.batch = batch;
  product.multiplies = batch * m * n * k;
  product.width = width;
  return product;
}

// Times that jax-cuda12-plugin 0.12.0.1 logs for an H100.
TEST(GpuLatenciesTest, ProductsAreNearTheTableOfXla) {
  EXPECT_NEAR(ProductMicros(ProductOf(4096, 4096, 4096, 1, 2), 2), 176, 10);
  EXPECT_NEAR(ProductMicros(ProductOf(1024, 256, 1024, 1, 2), 2), 6.6, 0.7);
  EXPECT_NEAR(ProductMicros(ProductOf(16384, 8192, 32768, 1, 2), 2), 11274, 600);
  EXPECT_NEAR(ProductMicros(ProductOf(65536, 256, 256, 1, 4), 4), 155.6, 25);
}

// Operations of a product of bfloat16s that gives float32 count 64 times.
TEST(GpuLatenciesTest, AProductOfMixedTypesIsAsSlowAsInXla) {
  EXPECT_NEAR(ProductMicros(ProductOf(2304, 8192, 512, 2, 2), 4), 3313.7, 150);
}

// Four columns have the rate of 256.
TEST(GpuLatenciesTest, ANarrowProductHasTheRateOfTheSmallestOfTheTable) {
  EXPECT_NEAR(ProductMicros(ProductOf(256, 512, 4, 128, 4), 4), 5.1, 1);
}

TEST(GpuLatenciesTest, CollectivesAreThoseOfTheTable) {
  EXPECT_NEAR(MessageMicros(Opcode::kAllGather, 1 << 30, 4), 2473, 1);
  EXPECT_NEAR(MessageMicros(Opcode::kAllReduce, 1 << 17, 4), 26, 0.1);
  EXPECT_NEAR(MessageMicros(Opcode::kReduceScatter, 3 << 29, 2), (2756 + 5512) / 2.0, 100);
  EXPECT_NEAR(MessageMicros(Opcode::kAllToAll, 3 << 20, 8), (25.1 + 37.4) / 2, 0.1);
}

// Up to 256 KiB each device reads all of the others; of more, its part.
TEST(GpuLatenciesTest, SumsByAKernel) {
  EXPECT_NEAR(OwnKernelMicros(1 << 18, 8), 7.75, 0.01);
  EXPECT_NEAR(OwnKernelMicros(1 << 20, 8), 9.72, 0.01);
  EXPECT_NEAR(OwnKernelMicros(8 << 20, 4), 43.96, 0.01);
}

}  // namespace
}  // namespace tessera::cost
