// reduction-splitter: dimensions that are apart are reduced in two steps, the largest one first.
//
//   f32[4,32] reduce(x: f32[4,8192,32,8]), dimensions={1,3}      ->  over 1, then over the other one
//
// Where the kernel would be one loop over the result, which XLA's tiles of rows and columns do not fit. Dimensions
// side by side are one.
//
// Cost: linear in the program. Tested by reduction_splitter_test.cc.

#include <algorithm>
#include <cstdint>

#include "tessera/target/gpu/gpu_passes.h"
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
