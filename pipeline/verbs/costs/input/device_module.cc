#include "tessera/pipeline/verbs/costs/input/device_module.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/target/stage/stage.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// Flags that decide shardings say nothing of a module that is partitioned.
absl::Status CheckNothingToPropagate(const Arguments& arguments) {
  std::vector<std::string> names = {"as-is"};
  for (const Flag& flag : PropagationFlags()) names.push_back(flag.name);
  for (const std::string& name : names) {
    if (name == "mesh" || name == "stage" || !arguments.Has(name)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, ": the module is partitioned, nothing is propagated any more"));
  }
  return absl::OkStatus();
}

absl::StatusOr<DeviceModule> TakeAsItIs(hlo::Module module, const Arguments& arguments) {
  TESSERA_RETURN_IF_ERROR(CheckNothingToPropagate(arguments));
  DeviceModule device;
  if (arguments.Has("mesh")) {
    TESSERA_ASSIGN_OR_RETURN(device.mesh, ParseMeshFlag(arguments.Get("mesh")));
  }
  device.module = std::move(module);
  return device;
}

// Beside --target, --stage says which module the answer is about, not which one is read.
Arguments WithoutStage(Arguments arguments) {
  arguments.Set("stage", {"auto"}, /*given=*/false);
  return arguments;
}

absl::StatusOr<DeviceModule> Partition(hlo::Module module, const Arguments& arguments,
                                       const sharding::partition::Options& of_target) {
  TESSERA_ASSIGN_OR_RETURN(const ShardOptions options,
                           ReadPropagationOptions(WithoutStage(arguments)));
  TESSERA_ASSIGN_OR_RETURN(PartitionerInput input,
                           ReadPartitionerInput(std::move(module), arguments, options));
  DeviceModule device;
  TESSERA_ASSIGN_OR_RETURN(auto made, MakeDeviceModule(input, of_target));
  device.module = std::move(made.module);
  device.mesh = input.mesh;
  device.notes = input.notes;
  device.input = std::make_shared<const PartitionerInput>(std::move(input));
  return device;
}

}  // namespace

absl::StatusOr<sharding::partition::PartitionedModule> MakeDeviceModule(
    const PartitionerInput& input, const sharding::partition::Options& of_target) {
  absl::StatusOr<sharding::partition::PartitionedModule> device;
  OnStackFor(input.module, [&] {
    device = sharding::partition::PartitionModule(input.module, input.behaviors, of_target);
  });
  if (!device.ok()) return LocatedInInput(device.status(), input);
  return device;
}

absl::StatusOr<DeviceModule> ReadDeviceModule(hlo::Module module, const Arguments& arguments,
                                              const sharding::partition::Options& of_target) {
  const target::StageReading read = target::ReadStage(module);
  if (read.stage == target::Stage::kFinal) {
    return absl::InvalidArgumentError(
        absl::StrCat("--target: the module is final (", read.sign,
                     "): the compiler has done already what --target would do"));
  }
  if (read.stage == target::Stage::kPartitioned) return TakeAsItIs(std::move(module), arguments);
  return Partition(std::move(module), arguments, of_target);
}

}  // namespace tessera::pipeline
