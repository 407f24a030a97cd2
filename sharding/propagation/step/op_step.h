// One propagation step of one op, from sharding ids to sharding ids.
//
//   OpStep step(tables);
//   for (const OpStep::Update& u : step.Run(mode, rule, {lhs, rhs, result}).updates) {
//     // tensor u.tensor takes the sharding u.sharding
//   }
//
// A step is a function of its arguments and nothing else. CachedStep (cached_step.h) relies on
// that.

#ifndef TESSERA_SHARDING_PROPAGATION_STEP_OP_STEP_H_
#define TESSERA_SHARDING_PROPAGATION_STEP_OP_STEP_H_

#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/observer.h"
#include "tessera/sharding/propagation/step/aggressive_step.h"
#include "tessera/sharding/propagation/step/step_mode.h"
#include "tessera/sharding/propagation/step/tables.h"

namespace tessera::sharding::propagation {

class OpStep {
 public:
  struct Update {
    int tensor = 0;  // operands, then results
    ShardingId sharding = kNoSharding;
  };
  struct Answer {
    absl::Span<const Update> updates;
    // No axis moved in the factor table. (Axes may move there and yet change no sharding, where a
    // tensor cannot express them.)
    bool at_rest = true;
  };

  explicit OpStep(const Tables& tables) : tables_(tables) {}

  // `shardings`: one for each tensor of the rule, kNoSharding where there is none, each of the rank
  // that the rule says. Returns the tensors whose sharding changes, by number; a tensor without a
  // sharding gets none that has no axes. Good until the next call. With an `observer` the step is
  // reported as `event`, except for its end.
  Answer Run(const StepMode& mode, RuleId rule, absl::Span<const ShardingId> shardings,
             Observer* observer = nullptr, StepEvent event = {});

 private:
  bool Propagate(const StepMode& mode, Observer* observer);
  void Collect(absl::Span<const ShardingId> before, MeshId mesh, Observer* observer);
  void ReportDropped(const TensorSharding& sharding, int tensor, Observer& observer) const;

  Tables tables_;
  factors::FactorTable table_;
  AggressiveStep aggressive_;
  std::vector<const TensorSharding*> shardings_;
  std::vector<bool> updated_;
  std::vector<Update> updates_;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_STEP_OP_STEP_H_
