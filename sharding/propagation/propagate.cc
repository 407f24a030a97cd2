// The loops around the driver:
//
//   make groups equal
//   hide what has a user priority above 0
//   for each user priority, 0 first:
//     reveal what has it
//     for each level of op priority:
//       one run of the driver for each strategy
//
// A reveal wakes nobody: the run that follows visits every op anyway.
//
// Tested in propagate_test.cc, and against an independent engine in random_programs_test.cc.

#include "tessera/sharding/propagation/propagate.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/propagation/run/check.h"
#include "tessera/sharding/propagation/run/driver.h"
#include "tessera/sharding/propagation/run/groups.h"
#include "tessera/sharding/propagation/run/levels.h"
#include "tessera/sharding/propagation/run/state.h"
#include "tessera/sharding/propagation/run/user_priorities.h"

namespace tessera::sharding::propagation {
namespace {

// A slot with a user priority: of a value, or of an output.
struct PrioritizedSlot {
  ValueId value = kNone;
  int output = kNone;
  ShardingId original = kNoSharding;
};

class Propagation {
 public:
  Propagation(const NumberedProgram& program, const Tables& tables, const Options& options,
              const RuleSource& rule_of, Observer* observer)
      : program_(program),
        tables_(tables),
        options_(options),
        observer_(observer),
        state_(program, tables, observer),
        driver_(program, tables, options, rule_of, state_, observer) {}

  absl::Status Run() {
    AnnouncePhase(kAllLevels);
    if (absl::Status status = SyncGroups(); !status.ok()) return status;
    switch (options_.schedule) {
      case Schedule::kUserPriority:
        return RunUserPriorities();
      case Schedule::kOpPriority:
        return RunLevels();
      default:
        return RunStrategies(kAllLevels);
    }
  }

  Result TakeResult() {
    Result result;
    result.statistics = {runs_, driver_.steps(), driver_.remembered(), state_.writes()};
    result.rules = driver_.rules();
    for (RuleId& rule : result.rules) {
      if (rule == kAskForRule) rule = factors::kNoRule;
    }
    result.erased = driver_.liveness().erased();
    result.outputs = std::move(state_).TakeOutputs();
    result.shardings = std::move(state_).TakeShardings();
    return result;
  }

 private:
  absl::Status SyncGroups() {
    std::vector<ShardingId> shardings;
    for (size_t g = 0; g < program_.groups().size(); ++g) {
      shardings.clear();
      for (const ValueId v : program_.groups()[g]) shardings.push_back(state_[v]);
      const GroupSharding verdict = ResolveGroupSharding(shardings, *tables_.shardings);
      if (verdict.kind == GroupSharding::kDisagree) {
        return absl::InvalidArgumentError(
            absl::StrCat("members of sharding group ", g, " ask for different shardings"));
      }
      if (verdict.kind == GroupSharding::kUnconstrained) continue;
      for (const ValueId v : program_.groups()[g]) {
        if (state_[v] != verdict.sharding) Write({v}, verdict.sharding, Cause::kGroupSync);
      }
    }
    return absl::OkStatus();
  }

  absl::Status RunUserPriorities() {
    MaskAll();
    if (absl::Status status = RunLevels(); !status.ok()) return status;
    for (const auto& [priority, slots] : waiting_) {
      user_priority_ = priority;
      AnnouncePhase(kAllLevels);
      for (const PrioritizedSlot& slot : slots) Restore(slot, priority);
      if (absl::Status status = RunLevels(); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  void MaskAll() {
    // Owners of edges keep what they have: their edge holds it.
    for (ValueId v = 0; v < program_.num_values(); ++v) {
      if (program_.sharding_owner(v) == v && state_[v] != kNoSharding) Mask({v, kNone, state_[v]});
    }
    for (size_t k = 0; k < program_.outputs().size(); ++k) {
      const ShardingId sharding = state_.output(static_cast<int>(k));
      if (sharding != kNoSharding) Mask({kNone, static_cast<int>(k), sharding});
    }
  }

  void Mask(const PrioritizedSlot& slot) {
    const TensorSharding& original = (*tables_.shardings)[slot.original];
    for (const int64_t priority : PrioritiesAboveZero(original)) {
      waiting_[priority].push_back(slot);
    }
    const ShardingId masked = tables_.shardings->Intern(MaskPriorities(original));
    if (masked != slot.original) Write(slot, masked, Cause::kMaskPriority);
  }

  void Restore(const PrioritizedSlot& slot, int64_t priority) {
    const ShardingId now = slot.value == kNone ? state_.output(slot.output) : state_[slot.value];
    const ShardingTable& table = *tables_.shardings;
    const ShardingId restored =
        tables_.shardings->Intern(RestorePriority(table[now], table[slot.original], priority));
    if (restored != now) Write(slot, restored, Cause::kRestorePriority);
  }

  void Write(const PrioritizedSlot& slot, ShardingId sharding, Cause cause) {
    if (slot.value == kNone) return state_.WriteOutput(slot.output, sharding, {cause});
    state_.Write(slot.value, sharding, {cause});
    driver_.Touched(state_.written());
  }

  absl::Status RunLevels() {
    for (int level = 0; level < kNumLevels; ++level) {
      if (absl::Status status = RunStrategies(level); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status RunStrategies(int level) {
    if (options_.strategy != Strategy::kAggressive) {
      if (absl::Status status = RunDriver({level, false}); !status.ok()) return status;
    }
    if (options_.strategy == Strategy::kBasic) return absl::OkStatus();
    return RunDriver({level, true});
  }

  absl::Status RunDriver(RunMode mode) {
    ++runs_;
    AnnouncePhase(mode.level, mode.aggressive);
    return driver_.Run(mode);
  }

  void AnnouncePhase(int level, bool aggressive = true) {
    if (observer_ != nullptr) observer_->OnPhase({user_priority_, level, aggressive});
  }

  const NumberedProgram& program_;
  const Tables& tables_;
  const Options& options_;
  Observer* const observer_;
  State state_;
  Driver driver_;
  std::map<int64_t, std::vector<PrioritizedSlot>> waiting_;  // by user priority above 0
  int64_t user_priority_ = 0;
  int64_t runs_ = 0;
};

}  // namespace

absl::StatusOr<Result> Propagate(const NumberedProgram& program, const Tables& tables,
                                 const Options& options, const RuleSource& rule_of,
                                 Observer* observer) {
  if (absl::Status status = CheckShardings(program, tables); !status.ok()) return status;
  Propagation propagation(program, tables, options, rule_of, observer);
  if (absl::Status status = propagation.Run(); !status.ok()) return status;
  return propagation.TakeResult();
}

}  // namespace tessera::sharding::propagation
