#include "tessera/sharding/rules/no_rule.h"

namespace tessera::sharding::rules {
namespace {

using hlo::Opcode;

struct Reason {
  Opcode opcode;
  NoRule why;
};

// Everything else stops propagation.
constexpr Reason kReasons[] = {
    {Opcode::kParameter, NoRule::kStructure},
    {Opcode::kTuple, NoRule::kStructure},
    {Opcode::kGetTupleElement, NoRule::kStructure},
    {Opcode::kConstant, NoRule::kSource},
    {Opcode::kIota, NoRule::kSource},
    {Opcode::kPartitionId, NoRule::kSource},
    {Opcode::kReplicaId, NoRule::kSource},
    {Opcode::kRngGetAndUpdateState, NoRule::kSource},
    {Opcode::kAfterAll, NoRule::kSource},
    {Opcode::kInfeed, NoRule::kSource},
    {Opcode::kRecv, NoRule::kSource},
    {Opcode::kWhile, NoRule::kDataFlow},
    {Opcode::kConditional, NoRule::kDataFlow},
    {Opcode::kCall, NoRule::kDataFlow},
    {Opcode::kOptBarrier, NoRule::kDataFlow},
};

struct ReasonOfTarget {
  absl::string_view name;
  NoRule why;
};

constexpr ReasonOfTarget kReasonsOfTargets[] = {
    {"xla.sdy.GlobalToLocalShape", NoRule::kBoundary},
    {"xla.sdy.LocalToGlobalShape", NoRule::kBoundary},
    {"xla.sdy.FuncResultSharding", NoRule::kMark},
    {"xla.sdy.PropagationBarrier", NoRule::kMark},
    {"xla.sdy.ShardingGroup", NoRule::kMark},
};

}  // namespace

NoRule WhyNoRule(Opcode opcode) {
  for (const Reason& reason : kReasons) {
    if (reason.opcode == opcode) return reason.why;
  }
  return NoRule::kStopsPropagation;
}

NoRule WhyNoRuleOf(absl::string_view target) {
  for (const ReasonOfTarget& known : kReasonsOfTargets) {
    if (known.name == target) return known.why;
  }
  return NoRule::kStopsPropagation;
}

absl::string_view NoRuleText(NoRule why) {
  switch (why) {
    case NoRule::kStructure:
      return "structure of the program, no op of propagation";
    case NoRule::kSource:
      return "has no array to take a sharding from";
    case NoRule::kDataFlow:
      return "data flow: operand, parameter of the body and result of each element share one "
             "sharding";
    case NoRule::kBoundary:
      return "boundary of a shard_map, which becomes one manual computation";
    case NoRule::kMark:
      return "a mark, which the pass reads and takes out";
    case NoRule::kStopsPropagation:
      break;
  }
  return "no sharding passes";
}

}  // namespace tessera::sharding::rules
