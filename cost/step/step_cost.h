// The cost of one step of a sharded program: memory of a device, bytes on its links, time.
//
//   // module: the partitioner's input
//   absl::StatusOr<StepCost> c = CostOfStep(module, &machine, reference.behaviors);
//   c->memory, c->sent            // bytes of one device
//   c->seconds()                  // device_s + network_s: nothing overlaps
//
// The sum of what memory/, network/ and device_work.h say, for one look at a program: it is
// partitioned once. Good for comparing shardings of one program; as a prediction of a step it is the
// time without overlap and without what a back end does later.
//
// Cost: linear in the instructions and in the collectives times devices. Tested by
// step_cost_test.cc.

#ifndef TESSERA_COST_STEP_STEP_COST_H_
#define TESSERA_COST_STEP_STEP_COST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/network/machine.h"
#include "tessera/cost/step/device_work.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/tile_rules.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::cost {

struct StepCost {
  int64_t memory = 0;  // bytes that must fit: DeviceMemory::total()
  // Of a target: between these the compiler's own figure is expected (peak_band.h). Else 0.
  int64_t memory_low = 0, memory_high = 0;
  int64_t sent = 0;         // bytes by each device, in all runs
  int64_t collectives = 0;  // in the text of the program
  // Without a machine, and for what it does not say, 0.
  double device_s = 0, network_s = 0;
  int64_t without_time = 0;  // collectives whose time is not known: left out of network_s
  // Instructions of which something is left out of device_s (device_work.h), the first of them by
  // name.
  int64_t unpriced = 0;
  std::vector<std::string> unpriced_names;
  int64_t counted_once = 0;  // collectives in loops whose trip count is not known

  double seconds() const { return device_s + network_s; }
};

// A null machine: no times. Errors as of sharding::partition::PartitionModule; kOverflow.
absl::StatusOr<StepCost> CostOfStep(const hlo::Module& module, const Machine* machine,
                                    const sharding::reference::Behaviors& behaviors);
// The same if `module` is partitioned already. With `tiles` the memory is that of arrays
// padded as that hardware keeps them. kOverflow.
absl::StatusOr<StepCost> CostOfStep(const hlo::Module& module,
                                    const sharding::partition::PartitionedModule& device,
                                    const Machine* machine,
                                    const layout::TileRules* tiles = nullptr);

// Only the bytes that a device sends in it. `found`: the collectives of `module`. kOverflow.
absl::StatusOr<int64_t> SentInStep(const hlo::Module& module,
                                   const sharding::partition::Partitioned& found);

// Every instruction of a device's module that takes time on the device of `machine`: the parts of
// device_s. Errors as of projection::TrafficOf.
absl::StatusOr<WorkList> WorkOfStep(const hlo::Module& device, const Machine& machine);

}  // namespace tessera::cost

#endif  // TESSERA_COST_STEP_STEP_COST_H_
