#include "tessera/pipeline/verbs/costs/sent_bytes.h"

#include <utility>

#include "tessera/cost/step/step_cost.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::pipeline {

std::optional<int64_t> SentBytesOf(const hlo::Module& module, const ShardOptions& options) {
  const auto input = PropagatedInput(module, options);
  if (!input.ok()) return std::nullopt;
  const auto found = sharding::partition::FindCollectives(input->module, input->behaviors);
  if (!found.ok()) return std::nullopt;
  const auto sent = cost::SentInStep(input->module, *found);
  return sent.ok() ? std::make_optional(*sent) : std::nullopt;
}

}  // namespace tessera::pipeline
