#include "tessera/pipeline/verbs/costs/input/cleaned_device.h"

#include <utility>

#include "tessera/target/pass.h"
#include "tessera/target/pass_lists.h"
#include "tessera/target/program/device_program.h"
#include "tessera/target/target.h"
#include "tessera/target/xla_flags.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using sharding::partition::PartitionedModule;

absl::StatusOr<target::Context> CleanUp(hlo::Module device, bool remembers_replacements) {
  TESSERA_ASSIGN_OR_RETURN(target::Target cpu, target::ParseTarget("cpu"));
  target::Context context(std::move(device), std::move(cpu), target::XlaFlags());
  if (remembers_replacements) context.program.RememberReplacements();
  TESSERA_RETURN_IF_ERROR(target::RunPasses(target::SpmdCleanUp(), &context));
  return context;
}

// An instruction that became dead keeps its own origins, and is in no list.
std::vector<DeviceOrigin> OriginsOf(const target::DeviceProgram& program,
                                    const PartitionedModule& device) {
  std::vector<DeviceOrigin> origins(program.module().num_instructions());
  for (InstructionId id = 0; id < device.sources.size(); ++id) {
    DeviceOrigin& origin = origins[program.Replacement(id)];
    if (device.sources[id] != hlo::kNoId) {
      const bool is_element = program.opcode(id) == hlo::Opcode::kGetTupleElement;
      (is_element ? origin.elements : origin.value_of).push_back(device.sources[id]);
    } else if (device.causes[id] != hlo::kNoId) {
      origin.made_for.push_back(device.causes[id]);
    }
  }
  for (const auto& [id, element] : device.elements) {
    origins[program.Replacement(id)].elements.push_back(element);
  }
  return origins;
}

}  // namespace

absl::StatusOr<hlo::Module> CleanedUp(hlo::Module device) {
  TESSERA_ASSIGN_OR_RETURN(target::Context context,
                           CleanUp(std::move(device), /*remembers_replacements=*/false));
  return std::move(context.program).Release();
}

absl::StatusOr<TracedDevice> CleanedUpAndTraced(PartitionedModule device) {
  TESSERA_ASSIGN_OR_RETURN(target::Context context,
                           CleanUp(std::move(device.module), /*remembers_replacements=*/true));
  TracedDevice traced;
  traced.origins = OriginsOf(context.program, device);
  traced.module = std::move(context.program).Release();
  return traced;
}

}  // namespace tessera::pipeline
