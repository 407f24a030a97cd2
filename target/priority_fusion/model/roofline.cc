#include "tessera/target/priority_fusion/model/roofline.h"

#include <algorithm>
#include <cmath>

namespace tessera::target {
namespace {

constexpr double kBandwidth = 3.35232e12;  // bytes a second
constexpr double kClock = 1.98e9;
constexpr double kCores = 132, kLanes = 128;
constexpr double kBytesOfBlock = 32;  // a cycle
constexpr double kL2Bytes = 52428800, kL1Bytes = 2048 * kCores;
constexpr double kL2Speedup = 2.5, kL1Speedup = 8;

double Bandwidth(double bandwidth, double blocks) {
  return std::min(bandwidth, blocks * kClock * kBytesOfBlock);
}

double InTicks(double seconds) { return Rounded(seconds * kTicksOfSecond); }

}  // namespace

double ReadTicks(double blocks, double bytes, double whole, double rate) {
  const double first = std::min(bytes, whole);
  double again = kBandwidth;
  if (first < kL2Bytes) {
    again *= first < kL1Bytes ? kL2Speedup * kL1Speedup : kL2Speedup;
  } else {
    again *= rate;
  }
  return InTicks(first / Bandwidth(kBandwidth * rate, blocks)) +
         InTicks((bytes - first) / Bandwidth(again, blocks));
}

double WriteTicks(double bytes, double rate) { return InTicks(bytes / (kBandwidth * rate)); }

double ComputeTicks(double flops, const Launch& launch) {
  const double lanes = std::min(launch.threads, kLanes) * std::min(launch.blocks, kCores);
  return InTicks(flops / (std::floor(2e-9 * kClock * lanes) * 1e9));
}

// Half a tick of the share counts as one.
double Together(double compute, double memory) {
  return compute + memory - Rounded(kParallelShare * std::min(compute, memory));
}

}  // namespace tessera::target
