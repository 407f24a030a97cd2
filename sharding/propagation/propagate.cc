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
struct Holder {
  ValueId value = kNone;
  int output = kNone;
  ShardingId original = kNoSharding;
};

class Propagation {
 public:
  Propagation(const Program& program, const Tables& tables, const Options& options,
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
      const GroupVerdict verdict = ResolveGroupSharding(shardings, *tables_.shardings);
      if (verdict.kind == GroupVerdict::kDisagree) {
        return absl::InvalidArgumentError(
            absl::StrCat("members of sharding group ", g, " ask for different shardings"));
      }
      if (verdict.kind == GroupVerdict::kSilent) continue;
      for (const ValueId v : program_.groups()[g]) {
        if (state_[v] != verdict.sharding) Write({v}, verdict.sharding, Cause::kGroupSync);
      }
    }
    return absl::OkStatus();
  }

  absl::Status RunUserPriorities() {
    Hide();
    if (absl::Status status = RunLevels(); !status.ok()) return status;
    for (const auto& [priority, holders] : waiting_) {
      user_priority_ = priority;
      AnnouncePhase(kAllLevels);
      for (const Holder& holder : holders) Reveal(holder, priority);
      if (absl::Status status = RunLevels(); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  void Hide() {
    // Owners of edges keep what they have: their edge holds it.
    for (ValueId v = 0; v < program_.num_values(); ++v) {
      if (program_.home(v) == v && state_[v] != kNoSharding) Hide({v, kNone, state_[v]});
    }
    for (size_t k = 0; k < program_.outputs().size(); ++k) {
      const ShardingId sharding = state_.output(static_cast<int>(k));
      if (sharding != kNoSharding) Hide({kNone, static_cast<int>(k), sharding});
    }
  }

  void Hide(const Holder& holder) {
    const TensorSharding& original = (*tables_.shardings)[holder.original];
    for (const int64_t priority : PrioritiesAboveZero(original)) {
      waiting_[priority].push_back(holder);
    }
    const ShardingId hidden = tables_.shardings->Intern(Hidden(original));
    if (hidden != holder.original) Write(holder, hidden, Cause::kHide);
  }

  void Reveal(const Holder& holder, int64_t priority) {
    const ShardingId now =
        holder.value == kNone ? state_.output(holder.output) : state_[holder.value];
    const ShardingTable& table = *tables_.shardings;
    const ShardingId revealed =
        tables_.shardings->Intern(Revealed(table[now], table[holder.original], priority));
    if (revealed != now) Write(holder, revealed, Cause::kReveal);
  }

  void Write(const Holder& holder, ShardingId sharding, Cause cause) {
    if (holder.value == kNone) return state_.WriteOutput(holder.output, sharding, {cause});
    state_.Write(holder.value, sharding, {cause});
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

  const Program& program_;
  const Tables& tables_;
  const Options& options_;
  Observer* const observer_;
  State state_;
  Driver driver_;
  std::map<int64_t, std::vector<Holder>> waiting_;  // by user priority above 0
  int64_t user_priority_ = 0;
  int64_t runs_ = 0;
};

}  // namespace

absl::StatusOr<Result> Propagate(const Program& program, const Tables& tables,
                                 const Options& options, const RuleSource& rule_of,
                                 Observer* observer) {
  if (absl::Status status = CheckShardings(program, tables); !status.ok()) return status;
  Propagation propagation(program, tables, options, rule_of, observer);
  if (absl::Status status = propagation.Run(); !status.ok()) return status;
  return propagation.TakeResult();
}

}  // namespace tessera::sharding::propagation
