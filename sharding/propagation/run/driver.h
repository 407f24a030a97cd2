// Driver: one run of the worklist over a program, with one strategy and one set of directions.
//
//   Driver driver(program, tables, options, rule_of, state, observer);
//   absl::Status status = driver.Run({/*level=*/2, /*aggressive=*/true});
//
// Which op is visited when decides conflicts, so it is part of the result: see worklist.h. See
// driver.cc for which visits are passed over.

#ifndef TESSERA_SHARDING_PROPAGATION_RUN_DRIVER_H_
#define TESSERA_SHARDING_PROPAGATION_RUN_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/options.h"
#include "tessera/sharding/propagation/run/liveness.h"
#include "tessera/sharding/propagation/run/state.h"
#include "tessera/sharding/propagation/run/visit_filter.h"
#include "tessera/sharding/propagation/run/wake_index.h"
#include "tessera/sharding/propagation/run/worklist.h"
#include "tessera/sharding/propagation/step/cached_step.h"
#include "tessera/sharding/propagation/step/op_step.h"
#include "tessera/sharding/propagation/step/step_configs.h"

namespace tessera::sharding::propagation {

// The rule of an op that has not been asked for yet.
inline constexpr RuleId kAskForRule = factors::kNoRule - 1;

class Driver {
 public:
  // All arguments must outlive the driver.
  Driver(const NumberedProgram& program, const Tables& tables, const Options& options,
         const RuleSource& rule_of, State& state, Observer* observer);

  // One run: the outputs, the worklist until it is empty, the outputs again.
  absl::Status Run(RunMode mode);

  // To be told after a write that did not come from here.
  void Touched(absl::Span<const ValueId> written);

  const std::vector<RuleId>& rules() const { return rules_; }
  const Liveness& liveness() const { return liveness_; }
  int64_t steps() const { return steps_; }
  int64_t remembered() const { return cache_.remembered(); }

 private:
  // Visits.
  OpId NextOp();
  absl::Status Meet(OpId o);
  void Erase(OpId o);
  absl::Status FindRule(OpId o);
  absl::StatusOr<RuleId> RuleOf(OpId o);
  uint8_t IrrelevantDirections(RuleId rule);
  void Step(OpId o);
  void StepOutputs();
  void StepOutput(int k);

  // Good until the next call.
  absl::Span<ShardingId> ShardingsOf(absl::Span<const ValueId> tensors);
  OpStep::Answer RunStep(const StepMode& mode, RuleId rule, absl::Span<const ShardingId> shardings,
                         const StepEvent& event);
  void WriteTensor(OpId o, const OpStep::Update& update);
  void WriteValue(ValueId v, ShardingId sharding, ShardingId of_group, WriteReason reason,
                  bool wake);
  RuleId IdentityRule(ValueId v, int operands);

  // Manual computations.
  ShardingId ToStepView(const EdgeSpec& edge, ShardingId id);
  ShardingId FromStepView(const EdgeSpec& edge, ShardingId id);

  const NumberedProgram& program_;
  Tables tables_;
  const RuleSource& rule_of_;
  State& state_;
  Observer* observer_;
  const bool plain_;

  WakeIndex wake_index_;
  Liveness liveness_;
  StepConfigs modes_;
  Worklist work_;
  OpStep step_;
  CachedStep cache_;

  std::vector<RuleId> rules_;         // by op
  std::vector<RuleId> output_rules_;  // by output
  // By shape and number of operands.
  absl::flat_hash_map<std::pair<const layout::Shape*, int>, RuleId> identity_rules_;

  bool aggressive_ = true;  // the strategy of the run
  VisitFilter filter_;
  std::vector<uint8_t> irrelevant_of_rule_;  // by rule, if it has been asked for
  std::vector<ShardingId> ids_;              // of the step at hand
  int64_t steps_ = 0;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RUN_DRIVER_H_
