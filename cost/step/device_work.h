// The time that a device computes: arithmetic and memory, instruction by instruction.
//
//   // a product [64,256] x [256,128] of bf16 on a device with 1e12 flops and 1e9 bytes a second
//   std::vector<Unpriced> unpriced;
//   DeviceWork w = *WorkOf(module, fused, machine.topology.device(), &unpriced);
//   w.flops;      // 2 * 64 * 256 * 128
//   w.seconds;    // the larger of 4.2e6 / 1e12 and 114688 / 1e9
//
// The module is that of one device. The rate of a contraction is in contraction_rate.h. Those in a
// fusion count with it. What is fused (memory/fused.h) neither reads nor writes; everything else but
// a collective reads its operands and writes its result once. Loops count by their trips, one whose
// count is not known once; of a conditional the slowest branch counts. Nothing overlaps.
//
// Cost: linear in the instructions. Tested by step_cost_test.cc.

#ifndef TESSERA_COST_STEP_DEVICE_WORK_H_
#define TESSERA_COST_STEP_DEVICE_WORK_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/memory/fused.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/cost/network/topology.h"

namespace tessera::cost {

struct DeviceWork {
  double flops = 0;  // of contractions and convolutions
  double bytes = 0;  // read and written
  double seconds = 0;
};

// An instruction of which something takes no time here, as nothing says how long it takes: what a
// custom call computes, or what the device has no rate for.
struct Unpriced {
  hlo::InstructionId id = hlo::kNoId;
  const char* why = "";
};

// Of one run of the entry. Errors as of projection::TrafficOf.
absl::StatusOr<DeviceWork> WorkOf(const hlo::Module& module, const Fused& fused,
                                  const projection::Device& device,
                                  std::vector<Unpriced>* unpriced);

// The work of one instruction each time that it runs.
struct InstructionWork {
  hlo::InstructionId id = hlo::kNoId;
  DeviceWork once;
  double runs = 0;
};

// The parts of which WorkOf() is the sum: every instruction that runs and takes time, callers in
// front of what they call. Of a conditional those of the slowest branch.
struct WorkList {
  std::vector<InstructionWork> parts;
  std::vector<Unpriced> unpriced;
};
absl::StatusOr<WorkList> ListWork(const hlo::Module& module, const Fused& fused,
                                  const projection::Device& device);

}  // namespace tessera::cost

#endif  // TESSERA_COST_STEP_DEVICE_WORK_H_
