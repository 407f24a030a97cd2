// Remembers the answers of steps, since a model is the same layer over and over.
//
//   CachedStep step(tables);
//   step.Run(mode, rule, shardings);   // computes
//   step.Run(mode, rule, shardings);   // remembers
//
// The key is (mode, rule, sharding ids): interning makes it a handful of integers. With an answer
// it remembers as well whether the next step would move anything, so that nobody has to try.
//
// Memory: some tens of bytes for each distinct step. A lookup costs one hash of the key and, as a
// rule, one comparison.

#ifndef TESSERA_SHARDING_PROPAGATION_STEP_CACHED_STEP_H_
#define TESSERA_SHARDING_PROPAGATION_STEP_CACHED_STEP_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/propagation/step/op_step.h"
#include "tessera/text/key_table.h"

namespace tessera::sharding::propagation {

class CachedStep {
 public:
  explicit CachedStep(const Tables& tables) : step_(tables) {}

  // As OpStep::Run. The answer is good until the next call.
  OpStep::Answer Run(const StepMode& mode, RuleId rule, absl::Span<const ShardingId> shardings);

  // Calls that were answered from memory.
  int64_t remembered() const { return remembered_; }

 private:
  struct Remembered {
    uint32_t begin = 0;  // of the updates, in updates_
    uint32_t count = 0;
    bool at_rest = true;
  };

  void Remember(const OpStep::Answer& answer);

  OpStep step_;
  text::KeyTable keys_;
  std::vector<Remembered> answers_;  // by number of the key
  std::vector<OpStep::Update> updates_;
  int64_t remembered_ = 0;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_STEP_CACHED_STEP_H_
