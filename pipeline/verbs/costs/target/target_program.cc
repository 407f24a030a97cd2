#include "tessera/pipeline/verbs/costs/target/target_program.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/target/target_front.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/target/pass_lists.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

std::string NoteOnPassesRun(const hlo::Module& module) {
  for (const auto& [name, target] : module.header().frontend_attributes) {
    if (name != kPassesRanFor) continue;
    return absl::StrCat("note: the module has gone through the passes of ", target,
                        " already (`partition --stage=final`), and they run on it again; the "
                        "answer about the module before them is more exact\n");
  }
  return "";
}

}  // namespace

absl::StatusOr<PartitionedForTarget> PartitionForTarget(hlo::Module module,
                                                        const TargetChoice& choice,
                                                        const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(module, ForTarget(std::move(module), choice, arguments));
  const std::string note = NoteOnPassesRun(module);
  PartitionedForTarget partitioned;
  partitioned.was_partitioned = IsOfOneDevice(module) && !arguments.Has("as-is");
  TESSERA_ASSIGN_OR_RETURN(partitioned.device, ReadDeviceModule(std::move(module), arguments,
                                                                target::PartitionerOptions(
                                                                    choice.target, choice.flags)));
  partitioned.device.notes.push_back(note);
  return partitioned;
}

absl::StatusOr<TargetProgram> RunAfterPartitioner(PartitionedForTarget partitioned,
                                                  const TargetChoice& choice,
                                                  const Arguments& arguments) {
  DeviceModule& device = partitioned.device;
  TargetProgram program;
  TESSERA_ASSIGN_OR_RETURN(
      program.context,
      RunTarget(std::move(device.module), partitioned.was_partitioned, choice, arguments));
  program.mesh = std::move(device.mesh);
  program.notes = absl::StrJoin(device.notes, "");
  program.was_partitioned = partitioned.was_partitioned;
  return program;
}

absl::StatusOr<TargetProgram> ReadTargetProgram(hlo::Module module, const TargetChoice& choice,
                                                const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(PartitionedForTarget partitioned,
                           PartitionForTarget(std::move(module), choice, arguments));
  return RunAfterPartitioner(std::move(partitioned), choice, arguments);
}

absl::StatusOr<PartitionedProgram> PartitionProgramForTarget(hlo::Module module,
                                                             const TargetChoice& choice,
                                                             const Arguments& arguments,
                                                             const ShardOptions& options) {
  if (!arguments.Has("as-is")) TESSERA_RETURN_IF_ERROR(CheckIsBeforePartitioner(module));
  TESSERA_ASSIGN_OR_RETURN(module, ForTarget(std::move(module), choice, arguments));
  TESSERA_ASSIGN_OR_RETURN(PartitionerInput input,
                           ReadPartitionerInput(std::move(module), arguments, options));
  auto partitioner = target::PartitionerOptions(choice.target, choice.flags);
  partitioner.lists_causes = true;
  return PartitionInput(std::move(input), partitioner);
}

Arguments DefaultsOfPropagation() {
  Arguments arguments;
  for (const Flag& flag : PropagationFlags()) {
    std::vector<std::string> values;
    if (!flag.default_value.empty()) values.push_back(flag.default_value);
    arguments.Set(flag.name, std::move(values), /*given=*/false);
  }
  return arguments;
}

}  // namespace tessera::pipeline
