// Observer: hears of every action and refusal of propagation while it runs.
//
//   class Log : public Observer {
//     void OnWrite(const WriteEvent& e) override { lines_.push_back(Describe(e)); }
//   };
//   Propagate(program, tables, options, rule_of, &log);
//
// A run with an observer computes every step anew, so that it sees a refusal each time. That
// includes steps that are known to move nothing. An observer to which the first time is enough says
// so (WantsIdleSteps). The result is the same: an observer changes nothing. Every function has an
// empty body here: override those of interest.
//
// Order of calls:
//   OnPhase                              before each run of the worklist, and before the stages
//   around OnStep                               an op's tensors have been projected
//     OnCompatibleAxes, OnFoldStop                 for each factor: the axes found
//     OnOrder                            aggressive only: sources and the order of the factors
//     OnCut                              an axis that a tensor could not take, or not in full
//     OnTake                             a tensor takes axes along a factor
//     OnDropped                          axes that a tensor cannot express, lost on the way back
//   OnWrite                              one for each change of a sharding
//   OnStepEnd

#ifndef TESSERA_SHARDING_PROPAGATION_OBSERVER_H_
#define TESSERA_SHARDING_PROPAGATION_OBSERVER_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/propagation/numbered_program.h"

namespace tessera::sharding::propagation {

// Where the run stands.
struct Phase {
  int64_t user_priority = 0;
  int level = -1;  // op priority level; -1 outside of the levels, or without op priority
  bool aggressive = true;
};

// A step: of an op, or (op == kNone) between output `output` and the value that it returns.
struct StepEvent {
  OpId op = kNone;
  int output = kNone;
  RuleId rule = factors::kNoRule;
  const factors::FactorTable* before = nullptr;  // good during the call
};

// The fold over the tensors (compatible axes of a factor) stopped at `tensor`: its axes disagree at
// `position` with what the tensors before it agreed on.
struct FoldStop {
  int factor = 0;
  int tensor = 0;
  int position = 0;
};

enum class CutReason : uint8_t {
  kNone,
  kOtherFactor,   // another factor of the tensor uses it
  kReplicated,    // the tensor keeps it replicated
  kUnreduced,     // the tensor is a partial result along it
  kClosed,        // the tensor's dimension is closed
  kOverflow,      // the factor has parked axes
  kNotDivisible,  // the factor is not the minor one and its size does not divide
  kSubAxis,       // conservative: it would end as a sub-axis
  kResult,        // element-wise: the result goes no further
};

// Of `axis` at `position` of the axes found for `factor`, only `kept` passed the test of `tensor`.
struct Cut {
  int factor = 0;
  int position = 0;
  int tensor = 0;
  int target = -1;        // the tensor that wanted it; -1: all of them (basic strategy)
  int other_factor = -1;  // of kOtherFactor
  AxisRef axis;
  std::optional<AxisRef> kept;
  CutReason reason = CutReason::kNone;
};

// The rank of one factor in an aggressive step.
struct RankedFactor {
  int factor = 0;
  int64_t source_size = -1;  // elements of the source, by the factors that it has
  int64_t axes_product = 0;  // of the axes found; counts for element-wise ops
  int source = -1;           // tensor; -1: none has all the axes found
};

enum class Cause : uint8_t {
  kStep,             // the op's or output's step
  kGroup,            // a member of the same sharding group was written
  kOpenFilling,      // a sibling result was written: the others become fully open
  kGroupSync,        // groups are made equal before the first round
  kMaskPriority,     // dimensions of a later priority are hidden
  kRestorePriority,  // and come back
};

struct WriteEvent {
  ValueId value = kNone;  // whose slot is written; kNone for an output's attribute
  int output = kNone;
  int tensor = -1;  // of the step, for kStep
  ShardingId before = kNoSharding;
  ShardingId after = kNoSharding;
  Cause cause = Cause::kStep;
};

class Observer {
 public:
  virtual ~Observer() = default;

  // False: steps that did nothing, on ops whose tensors have not changed since, need no repetition.
  virtual bool WantsIdleSteps() const { return true; }

  virtual void OnPhase(const Phase&) {}
  virtual void OnStep(const StepEvent&) {}
  virtual void OnCompatibleAxes(int /*factor*/, absl::Span<const AxisRef> /*axes*/) {}
  virtual void OnFoldStop(const FoldStop&) {}
  virtual void OnOrder(absl::Span<const RankedFactor>) {}
  virtual void OnCut(const Cut&) {}
  virtual void OnTake(int /*tensor*/, int /*factor*/, absl::Span<const AxisRef> /*axes*/) {}
  virtual void OnDropped(int /*tensor*/, int /*dim*/) {}
  virtual void OnWrite(const WriteEvent&) {}
  virtual void OnStepEnd(bool /*changed*/) {}
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_OBSERVER_H_
