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
  EXPECT_NEAR(MessageMicros(Opcode::kReduceScatter, 3 << 25, 4), 303.3, 0.1);
  EXPECT_NEAR(MessageMicros(Opcode::kAllToAll, 48824 * 32, 8), 81.8, 0.1);
  EXPECT_NEAR(MessageMicros(Opcode::kAllToAll, 50134 * 32, 8), 19.2, 0.1);
}

// Three numbers take less than a microsecond.
TEST(GpuLatenciesTest, FewBytesTakeTheirPartOfAKib) {
  EXPECT_NEAR(MessageMicros(Opcode::kAllReduce, 12, 4), 0.87, 0.01);
}

TEST(GpuLatenciesTest, PermutesDependOnWhoSendsToWhom) {
  EXPECT_EQ(ExchangeOf({{0, 4}, {1, 5}}), Exchange::kOneWay);
  EXPECT_EQ(ExchangeOf({{0, 1}, {1, 0}}), Exchange::kMutual);
  EXPECT_EQ(ExchangeOf({{0, 1}, {1, 2}}), Exchange::kOther);
  EXPECT_NEAR(PermuteMicros(Exchange::kOneWay, 1 << 26), 580.5, 0.1);
  EXPECT_NEAR(PermuteMicros(Exchange::kMutual, 1 << 26), 573.3, 0.1);
  EXPECT_NEAR(PermuteMicros(Exchange::kOther, 1 << 26), 877.3, 0.1);
  EXPECT_NEAR(PermuteMicros(Exchange::kOther, 401072 * 4), 39, 0.1);
}

// Up to 2 MiB of all devices each device reads all of the others; of more, its part.
TEST(GpuLatenciesTest, SumsByAKernel) {
  EXPECT_NEAR(OwnKernelMicros(1 << 18, 8), 7.75, 0.01);
  EXPECT_NEAR(OwnKernelMicros(1 << 20, 2), 6.04, 0.01);
  EXPECT_NEAR(OwnKernelMicros(1 << 20, 8), 9.72, 0.01);
  EXPECT_NEAR(OwnKernelMicros(8 << 20, 4), 43.96, 0.01);
}

}  // namespace
}  // namespace tessera::cost
