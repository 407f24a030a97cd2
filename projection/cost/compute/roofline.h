// File: projection/cost/compute/roofline.h
//
// How long a module takes at least, by the peaks of a device.
//
//   absl::StatusOr<Roofline> r = RooflineOf(module, topology.device(), {});
//   r->no_overlap_s, r->overlap_s       // the two ends of an interval
//   r->instructions[3].bound            // Resource::kMemory
//
// The time of an instruction is the largest of flops by the peak of its type, bytes by the
// bandwidth of memory, transcendentals by their rate, and the seconds of its messages. A module
// takes the sum of these when nothing overlaps, and the largest of the four sums when everything
// does. What the device does not say takes no time, and is listed in `unknown`.
#ifndef TESSERA_PROJECTION_COST_COMPUTE_ROOFLINE_H_
#define TESSERA_PROJECTION_COST_COMPUTE_ROOFLINE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/cost/demand/device_tiles.h"
#include "tessera/projection/cost/demand/module_needs.h"
#include "tessera/projection/cost/network/topology.h"

namespace tessera::projection {

enum class Resource { kCompute, kMemory, kTranscendentals, kNetwork };
inline constexpr int kNumResources = 4;
const char* ResourceName(Resource r);  // "compute", "memory", ..

struct InstructionTime {
  hlo::InstructionId id;
  int64_t times = 1;                   // runs, by the trip counts of the loops around it
  double seconds[kNumResources] = {};  // of one run
  Resource bound = Resource::kMemory;
  double intensity = 0;    // flops by bytes; 0 where there are no bytes
  double useful_work = 1;  // cells of the result by those of all padded tiles
  double total() const { return seconds[static_cast<int>(bound)]; }
};

struct RooflineOptions {
  // Extents are those of the largest tile of a device. Null: the module is one device's already.
  const DeviceGrid* grid = nullptr;
  ShardingOf sharding_of;
  // Of the messages of a collective; absent: no time.
  std::function<absl::StatusOr<double>(hlo::InstructionId id)> network_seconds;
};

struct Roofline {
  std::vector<InstructionTime> instructions;
  double no_overlap_s = 0, overlap_s = 0;
  std::vector<std::string> unknown;  // "peak of f8e4m3fn", "trip count of while.3"
};

// The entry and all that it runs; of a conditional the branch that takes longest. kOverflow.
absl::StatusOr<Roofline> RooflineOf(const hlo::Module& module, const Device& device,
                                    const RooflineOptions& options);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_COMPUTE_ROOFLINE_H_
