// What XLA's cost model for GPUs knows of a chip: an H100, and other chips are counted alike.
//
//   ReadSeconds(blocks, bytes, whole, 1);      // of an array of `whole` bytes
//   Together(compute, memory);                 // the longer of both, and one part in twenty of the other
//
// Small kernels do not reach the bandwidth, since each block reads 32 bytes a cycle. What is read several
// times comes from a cache. Tested by priority_fusion_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_MODEL_ROOFLINE_H_
#define TESSERA_TARGET_PRIORITY_FUSION_MODEL_ROOFLINE_H_

#include "tessera/target/priority_fusion/model/launch.h"

namespace tessera::target {

constexpr double kBytesOfRead = 64;  // from memory
constexpr double kKernelLaunchSeconds = 1e-6;
// The part of the shorter one of computing and moving bytes that the longer one hides.
constexpr double kParallelShare = 0.95;

// `rate`: the part of the bandwidth that is of use.
double ReadSeconds(double blocks, double bytes, double whole, double rate);
double WriteSeconds(double bytes, double rate);
double ComputeSeconds(double flops, const Launch& launch);
double Together(double compute, double memory);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_MODEL_ROOFLINE_H_
