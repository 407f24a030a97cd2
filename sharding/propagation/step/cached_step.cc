#include "tessera/sharding/propagation/step/cached_step.h"

namespace tessera::sharding::propagation {

OpStep::Answer CachedStep::Run(const StepMode& mode, RuleId rule,
                               absl::Span<const ShardingId> shardings) {
  const uint32_t key = keys_.Number(uint64_t{rule} << 32 | mode.code(), shardings);
  if (key < answers_.size()) {
    ++remembered_;
  } else {
    Remember(step_.Run(mode, rule, shardings));
  }
  const Remembered& answer = answers_[key];
  return {absl::MakeConstSpan(updates_.data() + answer.begin, answer.count), answer.at_rest};
}

void CachedStep::Remember(const OpStep::Answer& answer) {
  answers_.push_back({static_cast<uint32_t>(updates_.size()),
                      static_cast<uint32_t>(answer.updates.size()), answer.at_rest});
  updates_.insert(updates_.end(), answer.updates.begin(), answer.updates.end());
}

}  // namespace tessera::sharding::propagation
