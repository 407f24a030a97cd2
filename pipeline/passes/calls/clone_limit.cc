#include "tessera/pipeline/passes/calls/clone_limit.h"

#include "tessera/hlo/call_limits.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline::passes {

absl::Status CheckClones(const hlo::Module& module) {
  TESSERA_RETURN_IF_ERROR(hlo::CheckNesting(module));
  return hlo::CheckUnfolded(
      module, [](hlo::InstructionId) { return true; },
      "with a copy of each computation for each of its callers, as XLA makes them before the "
      "pass (--stage=pass takes the module as it is), the module");
}

}  // namespace tessera::pipeline::passes
