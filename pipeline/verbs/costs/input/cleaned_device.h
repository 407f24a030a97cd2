// The per-device module after spmd-cleanup, with the origins of its instructions.
//
//   absl::StatusOr<hlo::Module> device = CleanedUp(std::move(made.module));      // the module alone
//
//   partitioner.lists_causes = true;
//   absl::StatusOr<TracedDevice> traced = CleanedUpAndTraced(std::move(made));
//   traced->origins[all_reduce].made_for;                                        // {y}
//
// An instruction that another one takes the place of gives it its origins. So one instruction can be
// the value of several tensors: two equal sums of the program are one sum on a device.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_INPUT_CLEANED_DEVICE_H_
#define TESSERA_PIPELINE_VERBS_COSTS_INPUT_CLEANED_DEVICE_H_

#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::pipeline {

// Instructions of the partitioner's input.
struct DeviceOrigin {
  absl::InlinedVector<hlo::InstructionId, 1> value_of;  // whose shards it is
  // Elements of tuples whose shards it is, while the tuple is not written down.
  absl::InlinedVector<hlo::InstructionId, 1> elements;
  absl::InlinedVector<hlo::InstructionId, 1> made_for;  // whose visit inserted it
};

struct TracedDevice {
  hlo::Module module;
  std::vector<DeviceOrigin> origins;  // by instruction of `module`
};

// The clean-up of the pass on its own result. The platform makes no difference to it.
absl::StatusOr<hlo::Module> CleanedUp(hlo::Module device);
// The same of a module that was made with Options::lists_causes.
absl::StatusOr<TracedDevice> CleanedUpAndTraced(sharding::partition::PartitionedModule device);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_INPUT_CLEANED_DEVICE_H_
