// The module that one device runs, read or made.
//
//   absl::StatusOr<DeviceModule> device = ReadDeviceModule(std::move(module), arguments, {});
//   device->module;      // the given one, if it is partitioned, else what `partition` prints
//   device->mesh;        // that names the axes of its groups
//   device->notes;       // for standard error
//   device->input;       // what it was made of

#ifndef TESSERA_PIPELINE_VERBS_COSTS_INPUT_DEVICE_MODULE_H_
#define TESSERA_PIPELINE_VERBS_COSTS_INPUT_DEVICE_MODULE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/partition/options.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::pipeline {

struct DeviceModule {
  hlo::Module module;
  std::optional<sharding::Mesh> mesh;
  std::vector<std::string> notes;
  std::shared_ptr<const PartitionerInput> input;  // null for a module that was partitioned already
};

// Errors as of sharding::partition::PartitionModule(), with file, line and caret.
absl::StatusOr<sharding::partition::PartitionedModule> MakeDeviceModule(
    const PartitionerInput& input, const sharding::partition::Options& of_target = {});

// Propagates and partitions what is not partitioned. The flags are those of propagation and
// --as-is; InvalidArgument for one that says nothing of a module that is partitioned, and for a
// module that a compiler has finished. Else errors as of MakeDeviceModule().
absl::StatusOr<DeviceModule> ReadDeviceModule(hlo::Module module, const Arguments& arguments,
                                              const sharding::partition::Options& of_target);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_INPUT_DEVICE_MODULE_H_
