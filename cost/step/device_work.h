// The time that a device computes: arithmetic and memory, instruction by instruction.
//
//   // a product [64,256] x [256,128] of bf16 on a device with 1e12 flops and 1e9 bytes a second
//   DeviceWork w = *WorkOf({whole, device, received, reduced, fused}, machine.topology.device());
//   w.flops;      // 2 * 64 * 256 * 128
//   w.seconds;    // the larger of 4.2e6 / 1e12 and 114688 / 1e9
//
// A contraction makes the tile of its result over the whole contracted size, less what a sum over
// devices says that others did. What is fused (memory/fused.h) neither reads nor writes; everything
// else reads its operands and writes its result once. A type without a peak works at the first peak
// of the device: a TPU multiplies f32 as bf16. Loops count by their trips, one whose count is not
// known once; of a conditional the slowest branch counts. Nothing overlaps.
//
// Cost: linear in the instructions. Tested by step_cost_test.cc.

#ifndef TESSERA_COST_STEP_DEVICE_WORK_H_
#define TESSERA_COST_STEP_DEVICE_WORK_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tessera/cost/memory/fused.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/cost/network/topology.h"

namespace tessera::cost {

// A program before and after ShrinkToDevice().
struct WorkInput {
  const hlo::Module& whole;
  const hlo::Module& device;
  // Devices that a contraction's sum goes over.
  const absl::flat_hash_map<hlo::InstructionId, int64_t>& reduced;
  const Fused& fused;
};

struct DeviceWork {
  double flops = 0;  // of contractions and convolutions
  double bytes = 0;  // read and written
  double seconds = 0;
};

// What the device does not say takes no time. Errors as of projection::TrafficOf.
absl::StatusOr<DeviceWork> WorkOf(const WorkInput& input, const projection::Device& device);

// What one instruction does each time that it runs.
struct InstructionWork {
  hlo::InstructionId id = hlo::kNoId;
  DeviceWork once;
  double runs = 0;
};

// The parts of which WorkOf() is the sum: every instruction that runs and takes time, callers in
// front of what they call. Of a conditional those of the slowest branch.
absl::StatusOr<std::vector<InstructionWork>> ListWork(const WorkInput& input,
                                                      const projection::Device& device);

}  // namespace tessera::cost

#endif  // TESSERA_COST_STEP_DEVICE_WORK_H_
