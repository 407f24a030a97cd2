// Events: every change of a sharding, from what the user wrote to what XLA's partitioner gets.
//
//   // y = x @ w, w P(None, 'a')
//   #0  annotation   w  none -> [{}, {a}]      gains: dim 1 'a'
//   #1  flow         y  none -> [{?}, {a,?}]   gains: dim 1 'a', factor j, from w dim 1
//
// A sharding is kept in a slot: that of a value that owns its sharding (NumberedProgram::sharding_owner),
// or, numbered after all values, that of an output of the main function. The targets of a
// data-flow edge share the slot of the edge's result.

#ifndef TESSERA_SHARDING_EXPLAIN_EVENT_H_
#define TESSERA_SHARDING_EXPLAIN_EVENT_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/sharding_table.h"

namespace tessera::sharding::explain {

using SlotId = int32_t;

inline constexpr int32_t kNoIndex = -1;

enum class Stage : uint8_t {
  kAnnotation,   // what the user wrote
  kImport,       // constraints bind their operands
  kSync,         // groups are made equal
  kPropagation,  //
  kExport,       // borders are cut, dimensions closed
  kReshard,      // operations get the shardings that they can be computed with
};

struct Time {
  Stage stage = Stage::kAnnotation;
  int64_t round = 0;  // user priority
  int level = -1;     // op priority, 0 to 4; -1 outside of the levels
  bool aggressive = true;
  int64_t step = 0;  // of the steps that changed something, numbered as Shardy's debugging does
};

enum class EventCause : uint8_t {
  kAnnotation,
  kFlow,         // a step of an op, of a data-flow edge or of a function result
  kOverwritten,  // the same, for another operand that is the same value: replaces what came before
  kConstraintPushed,  // a constraint bound its operand
  kGroupSync,         // groups are made equal before the first round
  kGroupWrite,        // a member of the same group was written
  kMaskPriority,      // dimensions of a later user priority are put aside
  kRestorePriority,   // and come back
  kOpenFilling,       // a sibling result was written: the others become fully open
  kBoundaryCut,       // a border of a function takes only what divides it
  kClosed,            // at the end every dimension is closed
  kReshard,           // the op cannot be computed with it; a copy after it may have it
};

// One dimension of one tensor of a step.
struct Endpoint {
  SlotId slot = kNoIndex;
  propagation::ValueId value = propagation::kNone;  // whose slot it is; kNone for an output
  int tensor = kNoIndex;  // of the step: operands, then results; kNoIndex outside of steps
  int dim = 0;
};

// The gain of one dimension of the target from one factor.
struct Gain {
  int dim = 0;
  AxisList axes;          // major to minor, as parts of what the target has afterwards
  int factor = kNoIndex;  // of the step's rule
  absl::InlinedVector<Endpoint, 1> from;  // all that could have been the source; Shardy's first
};

struct Event {
  Time time;
  EventCause cause = EventCause::kAnnotation;
  SlotId target = kNoIndex;
  int32_t step = kNoIndex;  // of EventLog::steps()
  int tensor = kNoIndex;    // of the step, that was written
  int32_t annotation =
      kNoIndex;  // of EventLog::annotations(), for kAnnotation and kRestorePriority
  // The events visible at this decision: those before that number.
  int32_t bound = 0;
  ShardingId before = kNoSharding;
  ShardingId after = kNoSharding;
  std::vector<Gain> gains;
};

// The axes that a step added to one factor of one tensor.
struct Take {
  int tensor = 0;
  int dim = 0;
  int factor = 0;
  AxisList old;
  AxisList now;
  absl::InlinedVector<int, 2> sources;  // tensors that had `now` before the step, or more
};

// A step that changed something.
struct Step {
  propagation::OpId op = propagation::kNone;
  int output = propagation::kNone;  // without an op: between this output and the value returned
  factors::RuleId rule = factors::kNoRule;
  const Mesh* mesh = nullptr;
  int64_t number = 0;       // Time::step
  std::vector<Take> takes;  // by tensor, then in the order of its factors
};

enum class AnnotationKind : uint8_t {
  kParameter,
  kResult,      // of the main function
  kConstraint,  // with_sharding_constraint, or one that --annotate gave
  kManualIn,    // in_specs of a shard_map
  kManualOut,   // out_specs
  kOperation,   // of any other op that may carry one: send, callbacks, calls
};

// The user's annotation of one array.
struct Annotation {
  AnnotationKind kind = AnnotationKind::kOperation;
  int number = 0;  // of the parameter or result, else in the order of the walk
  int index = 0;   // operand or result of a shard_map
  SlotId slot = kNoIndex;
  propagation::OpId op = propagation::kNone;  // of a constraint or shard_map
  hlo::InstructionId instruction = hlo::kNoId;
  ShardingId sharding = kNoSharding;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_EVENT_H_
