// Reads and writes of a fusion: values between its instructions stay in registers, and a parameter
// of which only slices are used costs those slices.
#ifndef TESSERA_PROJECTION_COST_COMPUTE_FUSION_TRAFFIC_H_
#define TESSERA_PROJECTION_COST_COMPUTE_FUSION_TRAFFIC_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/cost/compute/work.h"

namespace tessera::projection {

struct FusedTraffic {
  std::vector<int64_t> read;  // for each operand of the fusion
  int64_t written = 0;        // of a root that updates in place, the updates alone
  int64_t constants = 0;      // of more than one cell, inside the fusion
};

absl::StatusOr<FusedTraffic> TrafficOfFusion(const hlo::Module& module, hlo::InstructionId id,
                                             CostMode mode);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_COMPUTE_FUSION_TRAFFIC_H_
