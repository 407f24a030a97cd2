#include "tessera/cost/kernel/kernel_time.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::cost {
namespace {

using target::Access;
using target::DeviceKernel;
using target::KernelKind;
using ::testing::DoubleNear;
using ::testing::HasSubstr;

KernelClock ClockOf(const char* target) { return *KernelClock::Of(*target::ParseTarget(target)); }

Access Of(double registers, double width, bool is_written) {
  Access access;
  access.registers = registers;
  access.width = width;
  access.bytes = registers * 1024 * width;
  access.is_written = is_written;
  return access;
}

TEST(KernelTimeTest, ACopyOfHbmAtTheRateOfItsMemory) {
  DeviceKernel kernel;
  kernel.accesses = {Of(1000, 4, false), Of(1000, 4, true)};
  // 1824 cycles, and 7.1 in and 11 out for each register.
  EXPECT_THAT(ClockOf("tpu-v5e:2x2").TimeOf(kernel).seconds, DoubleNear(19924 / 1.5e9, 1e-9));
}

// One result is packed, the other only written.
TEST(KernelTimeTest, ALoopPacksOneResult) {
  DeviceKernel kernel;
  kernel.accesses = {Of(1000, 2, true)};
  const auto cycles = [&] { return ClockOf("tpu-v5e:2x2").TimeOf(kernel).seconds * 1.5e9; };
  EXPECT_THAT(cycles(), DoubleNear(1824 + 14000, 1));
  kernel.accesses.push_back(Of(1000, 2, true));
  EXPECT_THAT(cycles(), DoubleNear(1824 + 14000 + 5200, 1));
}

// Six of float32 for the highest precision, half of one for bytes.
TEST(KernelTimeTest, AProductByItsPassesAndType) {
  DeviceKernel kernel;
  kernel.kind = KernelKind::kDot;
  target::Product product;
  product.m = product.n = product.k = 4096;
  product.multiplies = 4096.0 * 4096 * 4096;
  product.passes = 6;
  kernel.products = {product};
  const auto cycles = [&] { return ClockOf("tpu-v5e:2x2").TimeOf(kernel).seconds * 1.5e9; };
  EXPECT_THAT(cycles(), DoubleNear(1824 + 6.0 * (1 << 20), 1));
  kernel.products[0].passes = 1;
  kernel.products[0].width = 1;
  kernel.products[0].is_integer = true;
  EXPECT_THAT(cycles(), DoubleNear(1824 + 0.5 * (1 << 20), 1));
}

TEST(KernelTimeTest, AProductAtTheRateOfTheMatrixUnit) {
  DeviceKernel kernel;
  kernel.kind = KernelKind::kDot;
  target::Product product;
  product.m = product.n = product.k = 4096;
  product.multiplies = 4096.0 * 4096 * 4096;
  kernel.products = {product};
  const KernelTime time = ClockOf("tpu-v5e:2x2").TimeOf(kernel);
  EXPECT_THAT(time.seconds, DoubleNear((1824 + (1 << 20)) / 1.5e9, 1e-8));
  // A vector on the left fills an eighth of a row of the unit.
  kernel.products[0].m = 1;
  kernel.products[0].multiplies = 4096.0 * 4096;
  EXPECT_THAT(ClockOf("tpu-v5e:2x2").TimeOf(kernel).products_s, DoubleNear(8 * 256 / 1.5e9, 1e-9));
}

// A factor of 64 MiB that is rounded to bf16, and one of 32: each is read four times.
TEST(KernelTimeTest, AProductThatRoundsAFactorReadsBothForEachWindow) {
  DeviceKernel kernel;
  kernel.kind = KernelKind::kDot;
  kernel.accesses = {Of(16384, 2, false), Of(16384, 4, false)};
  target::Product product;
  product.m = product.n = product.k = 4096;
  product.multiplies = 4096.0 * 4096 * 4096;
  product.factors = {{{33554432, 33554432}, {33554432, 67108864}}};
  kernel.products = {product};
  const auto cycles = [&] { return ClockOf("tpu-v5e:2x2").TimeOf(kernel).seconds * 1.5e9; };
  const double once = 16384 * 4.9 + 16384 * 10;
  EXPECT_THAT(cycles(), DoubleNear(1824 + (1 << 20) + 4 * 100663296.0 / 546, 1));
  // One column of windows: the left one stays in parts.
  kernel.products[0].n = 1024;
  kernel.products[0].factors[1] = {8388608, 16777216};
  EXPECT_THAT(cycles(), DoubleNear(1824 + (1 << 20) + (100663296 + 3 * 16777216.0) / 546, 1));
  // In the type that is multiplied, or near, the next part arrives meanwhile.
  kernel.products[0].factors[1] = {67108864, 67108864};
  EXPECT_THAT(cycles(), DoubleNear(1824 + (1 << 20) + 0.17 * once, 1));
  kernel.products[0].factors = {{{33554432, 0}, {33554432, 67108864}}};
  EXPECT_THAT(cycles(), DoubleNear(1824 + (1 << 20) + 0.17 * once, 1));
}

// In HBM, with one side in the fast memory, and with both.
TEST(KernelTimeTest, ACopyOfTilesAtTheRateOfATile) {
  DeviceKernel kernel;
  kernel.kind = KernelKind::kTileCopy;
  kernel.count = 1000;
  kernel.accesses = {Of(1000, 2, false), Of(1000, 2, true)};
  const auto cycles = [&] { return ClockOf("tpu-v5e:2x2").TimeOf(kernel).seconds * 1.5e9; };
  EXPECT_THAT(cycles(), DoubleNear(1824 + 18400, 1));
  kernel.accesses[0].is_fast = true;
  EXPECT_THAT(cycles(), DoubleNear(1824 + 14400, 1));
  kernel.accesses[1].is_fast = true;
  EXPECT_THAT(cycles(), DoubleNear(1824 + 22500, 1));
}

// Both arrays in HBM, and one of them.
TEST(KernelTimeTest, ACopyToOtherLanesAtTheRateOfTilesInHbm) {
  DeviceKernel kernel;
  kernel.kind = KernelKind::kLaneCopy;
  kernel.count = 1000;
  kernel.accesses = {Of(1000, 2, false), Of(1000, 2, true)};
  const auto cycles = [&] { return ClockOf("tpu-v5e:2x2").TimeOf(kernel).seconds * 1.5e9; };
  EXPECT_THAT(cycles(), DoubleNear(1824 + 13500, 1));
  kernel.accesses[1].is_fast = true;
  EXPECT_THAT(cycles(), DoubleNear(1824 + 12000, 1));
}

// 3x3 over 16 images of 32 x 32 with 64 features: lanes are half full, and three taps of 64 fill one and a half edges.
TEST(KernelTimeTest, AConvolutionFillsTheMatrixUnitByWindowsAndFeatures) {
  DeviceKernel kernel;
  kernel.kind = KernelKind::kConvolution;
  target::Product product;
  product.is_window = true;
  product.n = 64;
  product.rows = 16;
  product.packed = 3 * 64;
  product.multiplies = 16.0 * 32 * 32 * 9 * 64 * 64;
  kernel.products = {product};
  const auto cycles = [&] { return ClockOf("tpu-v5e:2x2").TimeOf(kernel).products_s * 1.5e9; };
  EXPECT_THAT(cycles(), DoubleNear(24576, 1));
  kernel.products[0].packed = 64;  // the gradient of the images
  EXPECT_THAT(cycles(), DoubleNear(36864, 1));
  kernel.products[0].rows = 128;  // as lanes
  EXPECT_THAT(cycles(), DoubleNear(18432, 1));
  kernel.products[0].rows = 2;  // of eight rows
  kernel.products[0].n = 128;
  EXPECT_THAT(cycles(), DoubleNear(4 * 18432, 1));
}

// 100 registers and nine taps on the vector unit, two cycles each; and the holes of a dilated input.
TEST(KernelTimeTest, AConvolutionOfEachFeatureTakesTheTimeOfItsTaps) {
  DeviceKernel kernel;
  kernel.kind = KernelKind::kConvolution;
  target::Product product;
  product.depthwise = {100, 9};
  kernel.products = {product};
  const auto cycles = [&] { return ClockOf("tpu-v5e:2x2").TimeOf(kernel).products_s * 1.5e9; };
  EXPECT_THAT(cycles(), DoubleNear(2 * 100 * 9.75, 1));
  kernel.products[0].depthwise.is_dilated = true;
  EXPECT_THAT(cycles(), DoubleNear(2 * 100 * (0.55 * 9 + 0.75), 1));
  kernel.products[0].depthwise.is_of_kernel = true;
  EXPECT_THAT(cycles(), DoubleNear(2 * 100 * 0.27 * 12, 1));
}

TEST(KernelTimeTest, SomeChipsMultiplyTheHolesOfADilatedInput) {
  DeviceKernel kernel;
  kernel.kind = KernelKind::kConvolution;
  target::Product product;
  product.m = product.n = product.k = 1024;
  product.multiplies = 1024.0 * 1024 * 1024;
  product.with_holes = 4;
  const auto seconds = [&](const char* target, double holes) {
    product.with_holes = holes;
    kernel.products = {product};
    return ClockOf(target).TimeOf(kernel).products_s;
  };
  EXPECT_THAT(seconds("tpu-v6e:2x2", 4), DoubleNear(4 * seconds("tpu-v6e:2x2", 1), 1e-9));
  EXPECT_THAT(seconds("tpu-v5e:2x2", 4), DoubleNear(seconds("tpu-v5e:2x2", 1), 1e-9));
}

// 1000 tiles of two rows, which fill 250 registers; two results; and one operation that is not fused.
TEST(KernelTimeTest, AWalkOverLowTilesTakesItsTimeForEachTile) {
  DeviceKernel kernel;
  kernel.accesses = {Of(250, 4, true)};
  kernel.low_tiles = 1000;
  const auto cycles = [&] { return ClockOf("tpu-v5e:2x2").TimeOf(kernel).seconds * 1.5e9; };
  EXPECT_THAT(cycles(), DoubleNear(1824 + 12000, 1));
  kernel.other_low_tiles = 1000;
  EXPECT_THAT(cycles(), DoubleNear(1824 + 12000 * 1.35, 1));
  kernel.other_low_tiles = 0;
  kernel.is_fused = false;
  EXPECT_THAT(cycles(), DoubleNear(1824 + 24500, 1));
}

// 24.5 cycles for each register of 16 bits that it reads alone; in a fusion 4.7.
TEST(KernelTimeTest, AReductionThatIsNotFusedReadsSlowly) {
  DeviceKernel kernel;
  kernel.kind = KernelKind::kReduce;
  kernel.accesses = {Of(1000, 2, false)};
  const auto cycles = [&] { return ClockOf("tpu-v5e:2x2").TimeOf(kernel).seconds * 1.5e9; };
  EXPECT_THAT(cycles(), DoubleNear(1824 + 4700, 1));
  kernel.is_fused = false;
  EXPECT_THAT(cycles(), DoubleNear(1824 + 24500, 1));
}

// Random bits: a hundred operations for each register.
TEST(KernelTimeTest, ManyOperationsTakeTheTimeOfTheVectorUnit) {
  DeviceKernel kernel;
  kernel.accesses = {Of(1000, 4, true)};
  kernel.work[target::kSimple] = kernel.work[target::kOperations] = 100000;
  const auto cycles = [&] { return ClockOf("tpu-v5e:2x2").TimeOf(kernel).seconds * 1.5e9; };
  EXPECT_THAT(cycles(), DoubleNear(1824 + 25000, 1));
}

TEST(KernelTimeTest, WhatIsUnknownIsSaid) {
  DeviceKernel kernel;
  kernel.kind = KernelKind::kCustomCall;
  EXPECT_FALSE(ClockOf("tpu-v5e:2x2").TimeOf(kernel).is_known);
  EXPECT_FALSE(ClockOf("h100:8").TimeOf(kernel).is_known);
  EXPECT_THAT(ClockOf("h100:8").TimeOf(989e12, 0).seconds, DoubleNear(1, 1e-3));
  EXPECT_THAT(KernelClock::Of(*target::ParseTarget("tpu-v4:2x2x2")).status().message(),
              HasSubstr("no times are known for kernels of tpu-v4"));
  EXPECT_FALSE(KernelClock::Of(*target::ParseTarget("cpu")).ok());
}

TEST(KernelTimeTest, AGpuHidesTheShorterOfArithmeticAndMemory) {
  DeviceKernel kernel;
  kernel.accesses = {Of(1e6, 4, false)};
  const double memory = 1e6 * 4096 / 3.352e12;
  EXPECT_THAT(ClockOf("h100:8").TimeOf(kernel).seconds, DoubleNear(1e-6 + memory, 1e-9));
}

TEST(KernelTimeTest, AMachineOfAFile) {
  projection::Device device;
  EXPECT_THAT(KernelClock::Of(device).status().message(), HasSubstr("needs hbm_bytes_per_s"));
  device.set_hbm_bytes_per_s(1e10);
  device.set_launch_s(5e-6);
  projection::Peak* peak = device.add_peak();
  peak->set_dtype("f32");
  peak->set_flops_per_s(1e11);
  DeviceKernel kernel;
  kernel.accesses = {Of(1000, 4, true)};
  // 5 us, and 4096000 bytes at 1e10 a second.
  EXPECT_THAT(KernelClock::Of(device)->TimeOf(kernel).seconds, DoubleNear(414.6e-6, 1e-9));
  kernel.work[target::kHard] = 1000;
  EXPECT_THAT(KernelClock::Of(device)->TimeOf(kernel).vector_s, DoubleNear(10.24e-6, 1e-9));
  device.set_transcendental_per_s(1e9);
  EXPECT_THAT(KernelClock::Of(device)->TimeOf(kernel).vector_s, DoubleNear(1.024e-3, 1e-9));
}

}  // namespace
}  // namespace tessera::cost
