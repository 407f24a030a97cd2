#include "tessera/pipeline/verbs/costs/sent_bytes.h"

#include <utility>

#include "tessera/cost/step/opaque_calls.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"

namespace tessera::pipeline {

std::optional<int64_t> SentBytesOf(const hlo::Module& module, const ShardOptions& options) {
  auto input = PreparePartitionerInput(module, options, ShardingState::kToPropagate);
  if (!input.ok() || !cost::LetCallsDecide(&input->module).ok()) return std::nullopt;
  const auto cost = cost::CostOfStep(input->module, /*machine=*/nullptr, input->behaviors);
  if (!cost.ok()) return std::nullopt;
  return cost->sent;
}

}  // namespace tessera::pipeline
