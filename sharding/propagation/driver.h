// File: driver.h
//
// Driver: one run of the worklist over a program, with one strategy and one set of directions.
//
//   Driver driver(program, tables, options, rule_of, state, observer);
//   absl::Status status = driver.Run({/*level=*/2, /*aggressive=*/true});
//
// Which op is visited when decides conflicts, so it is part of the result. The worklist is a stack
// of ops with a flag for membership: at first all ops, the first of the program on top; an op that
// is woken goes on top unless it is on the stack, or at work, already.
//
// See driver.cc for how the stack is kept and which visits are passed over.

#ifndef TESSERA_SHARDING_PROPAGATION_DRIVER_H_
#define TESSERA_SHARDING_PROPAGATION_DRIVER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tessera/sharding/propagation/cached_step.h"
#include "tessera/sharding/propagation/liveness.h"
#include "tessera/sharding/propagation/op_step.h"
#include "tessera/sharding/propagation/options.h"
#include "tessera/sharding/propagation/plan.h"
#include "tessera/sharding/propagation/program.h"
#include "tessera/sharding/propagation/state.h"

namespace tessera::sharding::propagation {

inline constexpr int kAllLevels = -1;  // no op priority: everything may move

struct RunMode {
  int level = kAllLevels;
  bool aggressive = true;
};

class Driver {
 public:
  // What is passed must outlive the driver.
  Driver(const Program& program, const Tables& tables, const Options& options,
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
  // The stack.
  OpId Pop();
  void Wake(OpId o);
  bool CanSkip(OpId o) const;

  // Visits.
  absl::Status Visit(OpId o);
  void Erase(OpId o);
  absl::Status FindRule(OpId o);
  void Step(OpId o, Directions directions);
  void StepOutputs();
  void StepOutput(int k);

  void FillClasses();
  Directions DirectionsOf(OpId o) const { return directions_[class_[o]][liveness_.single_use(o)]; }
  StepMode ModeOf(OpId o, Directions directions) const;
  OpStep::Answer RunStep(const StepMode& mode, RuleId rule, StepEvent event);
  void WriteTensor(OpId o, const OpStep::Update& update);
  void WriteValue(ValueId v, ShardingId sharding, WriteReason reason, bool wake);
  RuleId IdentityRule(ValueId v, int operands);

  // Manual computations.
  ShardingId ToStepView(const EdgeSpec& edge, ShardingId id);
  ShardingId FromStepView(const EdgeSpec& edge, ShardingId id);

  const Program& program_;
  Tables tables_;
  const Options& options_;
  const RuleSource& rule_of_;
  State& state_;
  Observer* observer_;
  const bool plain_;

  Plan plan_;
  Liveness liveness_;
  OpStep step_;
  CachedStep cache_;

  std::vector<RuleId> rules_;         // by op
  std::vector<RuleId> output_rules_;  // by output
  RunMode mode_;
  // What may move at the level at work: by class of the op (its flow, or the direction of a
  // barrier) and single use.
  static constexpr size_t kFlowClasses = 4;
  std::array<std::array<Directions, 2>, kFlowClasses + 4> directions_;
  std::vector<uint8_t> class_;                                           // by op
  absl::flat_hash_map<std::pair<ShapeId, int>, RuleId> identity_rules_;  // by shape and operands

  OpId cursor_ = 0;
  OpId at_work_ = kNone;
  std::vector<OpId> woken_;
  std::vector<bool> is_woken_;
  std::array<std::vector<uint8_t>, 2> quiet_;  // by strategy and op: see driver.cc
  std::vector<ShardingId> ids_;                // of the step at hand
  int64_t steps_ = 0;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_DRIVER_H_
