#include "tessera/pipeline/verbs/costs/input/partitioned_program.h"

#include <utility>

#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/verbs/costs/input/device_module.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

std::vector<EntryArgument> ArgumentsOf(const hlo::Module& module) {
  const SourceLocations locations(module);
  std::vector<EntryArgument> arguments;
  for (const hlo::InstructionId id : module.entry().parameters) {
    arguments.push_back({std::string(module.instruction(id).name), hlo::GetOpName(module, id),
                         locations.UsersOwn(id)});
  }
  return arguments;
}

}  // namespace

absl::StatusOr<PartitionedProgram> PartitionProgram(hlo::Module module, const Arguments& arguments,
                                                    const ShardOptions& options) {
  if (!arguments.Has("as-is")) TESSERA_RETURN_IF_ERROR(CheckIsBeforePartitioner(module));
  std::vector<EntryArgument> entry_arguments = ArgumentsOf(module);
  TESSERA_ASSIGN_OR_RETURN(PartitionerInput input,
                           ReadPartitionerInput(std::move(module), arguments, options));
  TESSERA_ASSIGN_OR_RETURN(PartitionedProgram program, PartitionInput(std::move(input)));
  program.entry_arguments = std::move(entry_arguments);
  return program;
}

absl::StatusOr<PartitionedProgram> PartitionInput(PartitionerInput input,
                                                  const sharding::partition::Options& options) {
  PartitionedProgram program;
  program.input = std::move(input);
  TESSERA_RETURN_IF_ERROR(LetCallsDecide(&program.input));
  TESSERA_ASSIGN_OR_RETURN(program.device, MakeDeviceModule(program.input, options));
  return program;
}

}  // namespace tessera::pipeline
