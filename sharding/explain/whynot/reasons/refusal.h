// Refusals: why an axis that one tensor has did not come to another one.
//
//   // y = x @ w, x P('a', None) has 256 elements, w P(None, 'a') has 512
//   refusal.kind;        // kLostConflict: of 'a' from x dim 0 to y dim 0
//   refusal.winner;      // w dim 1
//   refusal.tie_break;   // kLargerSource: 512 over 256
//   KindWord(refusal.kind);   // "lost_conflict", the word of the JSON

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_REASONS_REFUSAL_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_REASONS_REFUSAL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/sharding/explain/event.h"

namespace tessera::sharding::explain {

enum class RefusalKind : uint8_t {
  // --- by a step of propagation, in the order of the tests
  kGroupConflict,         // members of a sharding group disagreed at the start: it was split
  kSingleDevice,          // a tensor of the op lives on one device
  kMeshMismatch,          // the tensors of the op are on different meshes
  kManualAxis,            // the axis is manual inside of a shard_map
  kBarrier,               // a propagation barrier, in that direction
  kBlockedFactor,         // the op carries nothing along that dimension
  kOverflow,              // an axis does not fit into the major part of a reshaped dimension
  kConflictingSources,    // two tensors ask for different axes: neither wins
  kBehindRefusedAxis,     // the axis before it was refused
  kExplicitlyReplicated,  // the tensor says so
  kUnreduced,             // the tensor holds partial sums over the axis
  kClosedDimension,       // the tensor's dimension takes no more axes
  kNotDivisible,          // a part of a dimension that is not the minor one does not divide
  kAxisInUse,             // another dimension of the tensor has it
  kLostConflict,          // another dimension got it in the same step
  kResultCap,             // an element-wise operand is not split further than its result
  kStridedView,           // what would remain is no block of the tensor
  kOverwritten,           // written, then replaced in the same step
  kStaleCall,             // the border of a call was not visited again
  // --- kAxisInUse and kConflictingSources, decided by who came first
  kLaterUserPriority,
  kEarlierLevel,
  // --- blocking ops: nothing passes
  kNoRule,
  kPredicateConditional,
  kNoSharedFactor,
  // --- after propagation
  kBoundaryNotDivisible,
  kBoundarySubAxis,
  kReshardedForOp,
  // --- without an op
  kConstantCopy,
  kDeadCode,
  kNotATensorOfPropagation,
  kSizeOneAxis,
  kNeverRequested,
  kAnnotationIgnored,
  kUnreachable,
  kDefect,  // a fault of tessera: no test says why
};

// The word of the kind, as in the JSON.
const char* KindWord(RefusalKind kind);

// The order in which refusals are shown: what the user wrote, conflicts, sizes, rules.
int KindRank(RefusalKind kind);

// The criterion between two factors of one step: the first that differs.
enum class TieBreak : uint8_t {
  kNone,
  kLargerSource,
  kLargerAxisProduct,
  kSourceIndex,
  kFactorIndex,
};
const char* TieBreakWords(TieBreak tie_break);

// How the axis that is in the way came to where it is.
enum class Arrival : uint8_t {
  kUnknown,
  kAnnotation,
  kSameStep,
  kEarlierStep,
  kGroup,
  kConstraint,
};
const char* ArrivalWord(Arrival arrival);

// An op of the program, or (op == kNone) the step between an output and the value returned.
struct Actor {
  propagation::OpId op = propagation::kNone;
  int output = propagation::kNone;

  friend bool operator==(Actor a, Actor b) { return a.op == b.op && a.output == b.output; }
};

struct Refusal {
  RefusalKind kind = RefusalKind::kDefect;

  // --- the missed update: `axis` along `factor` of the actor, from one tensor to another
  Actor actor;
  int factor = kNoIndex;
  Endpoint from;
  Endpoint to;
  const Mesh* mesh = nullptr;  // of all axes here
  AxisRef axis;

  // --- the reason
  std::optional<AxisRef> axis_before;    // kBehindRefusedAxis
  std::shared_ptr<const Refusal> inner;  // why that was refused
  Endpoint holder;                       // of the axis that is in the way; of a closed dimension
  std::optional<AxisRef> held;           // what is in the way
  Endpoint winner;                       // from where that came
  Endpoint other;                        // kConflictingSources: between `holder` and `other`
  int position = 0;                      // where in their lists of axes
  TieBreak tie_break = TieBreak::kNone;
  int64_t winner_elements = 0;
  int64_t loser_elements = 0;
  int64_t size_have = 0;        // of the dimension, or of its factor
  int64_t size_need = 0;        // of the axis
  int64_t size_before = 1;      // of the axes before it, or of the major factor
  std::optional<AxisRef> kept;  // the part of the axis that passed
  Arrival arrival = Arrival::kUnknown;
  std::optional<Time> came;                // when what is in the way came
  std::optional<Time> refused;             // when this was refused first
  int32_t event = kNoIndex;                // that took the axis away, or brought what is in the way
  int32_t annotation = kNoIndex;           // of EventLog::annotations(), that says so
  hlo::InstructionId on = hlo::kNoId;      // kAnnotationIgnored, kDeadCode: the instruction
  hlo::InstructionId border = hlo::kNoId;  // kManualAxis: where the shard_map begins
  std::vector<Endpoint> members;           // kGroupConflict
  std::string reason;                      // kNoSharedFactor: in a few words
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_REASONS_REFUSAL_H_
