// The chip of XLA's cost model for GPUs: an H100, and other chips are counted alike.
//
//   ReadTicks(blocks, bytes, whole, 1);        // of an array of `whole` bytes
//   Together(compute, memory);                 // the longer of both, and one part in twenty of the other
//
// Small kernels do not reach the bandwidth, since each block reads 32 bytes a cycle. Arrays that are read
// several times come from a cache.
//
// Durations are whole numbers of ticks, as in XLA, so that no order of their sums matters: a sum may be kept up
// as parts come and go. Tested by priority_fusion_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_MODEL_ROOFLINE_H_
#define TESSERA_TARGET_PRIORITY_FUSION_MODEL_ROOFLINE_H_

#include <cstdint>

#include "tessera/target/priority_fusion/model/launch.h"

namespace tessera::target {

constexpr double kBytesOfRead = 64;  // from memory
constexpr double kKernelLaunchSeconds = 1e-6;
// The part of the shorter one of computing and moving bytes that the longer one hides.
constexpr double kParallelShare = 0.95;

// A quarter of a nanosecond. It decides between kernels that save nearly the same.
constexpr double kTicksOfSecond = 4e9;
constexpr double kKernelLaunchTicks = kKernelLaunchSeconds * kTicksOfSecond;

// As std::round(), without a call.
inline double Rounded(double x) {
  constexpr double kWhole = 4503599627370496;  // from here on there are whole numbers only
  if (!(x > -kWhole && x < kWhole)) return x;
  const auto whole = static_cast<double>(static_cast<int64_t>(x));
  const double rest = x - whole;
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

// In ticks. `rate`: the part of the bandwidth that is of use.
double ReadTicks(double blocks, double bytes, double whole, double rate);
double WriteTicks(double bytes, double rate);
double ComputeTicks(double flops, const Launch& launch);
double Together(double compute, double memory);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_MODEL_ROOFLINE_H_
