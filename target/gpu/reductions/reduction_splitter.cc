#include "tessera/target/gpu/reductions/reduction_splitter.h"

#include <algorithm>
#include <cstdint>

#include "tessera/target/gpu/reductions/steps.h"
#include "tessera/target/priority_fusion/model/op_facts.h"

namespace tessera::target {
namespace {

// The first one of the largest.
void Split(DeviceProgram& program, InstructionId reduce) {
  if (DimensionsOf(program, reduce).size() < 2 || FactsOf(program, reduce).is_tiled_reduce) return;
  ReductionSteps steps(&program, reduce);
  if (steps.reduced().size() < 2) return;
  const int64_t largest =
      *std::max_element(steps.reduced().begin(), steps.reduced().end(),
                        [&](int64_t a, int64_t b) { return steps.sizes()[a] < steps.sizes()[b]; });
  steps.Over(largest);
}

}  // namespace

absl::Status SplitReductions(Context& context) {
  DeviceProgram& program = context.program;
  ForEachReduction(program, [&](InstructionId id) { Split(program, id); });
  return absl::OkStatus();
}

}  // namespace tessera::target
