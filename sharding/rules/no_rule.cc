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

}  // namespace

NoRule WhyNoRule(Opcode opcode) {
  for (const Reason& reason : kReasons) {
    if (reason.opcode == opcode) return reason.why;
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
    case NoRule::kStopsPropagation:
      break;
  }
  return "no sharding passes";
}

}  // namespace tessera::sharding::rules
