#include "tessera/pipeline/passes/clone_limit.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/builder.h"
#include "tessera/text/diagnostic.h"

namespace tessera::pipeline::passes {

absl::Status CheckClones(const hlo::Module& module) {
  std::vector<int64_t> sizes(module.num_computations(), 0);  // with all that is called
  for (hlo::ComputationId c : hlo::ComputationPostOrder(module)) {
    const auto& instructions = module.computation(c).instructions;
    sizes[c] = static_cast<int64_t>(instructions.size());
    for (hlo::InstructionId id : instructions) {
      for (hlo::ComputationId callee : module.called(id)) sizes[c] += sizes[callee];
      if (sizes[c] <= kMostInstructions) continue;
      return text::ErrorAt(
          module.instruction(id).source.begin,
          absl::StrCat("%", module.instruction(id).name, ": with a copy of each computation for ",
                       "each of its callers, as XLA makes them before the pass, the module has ",
                       "more than ", kMostInstructions,
                       " instructions; --stage=pass takes it as it is"));
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::pipeline::passes
