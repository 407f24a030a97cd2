// Why an op has no rule. Not every op without one stops propagation.
//
//   WhyNoRule(Opcode::kMap);      // NoRule::kStopsPropagation: no sharding passes
//   WhyNoRule(Opcode::kWhile);    // NoRule::kDataFlow: shardings pass by edges
//   WhyNoRuleOf("xla.sdy.GlobalToLocalShape");    // NoRule::kBoundary: an end of a shard_map

#ifndef TESSERA_SHARDING_RULES_NO_RULE_H_
#define TESSERA_SHARDING_RULES_NO_RULE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "tessera/hlo/opcode.h"

namespace tessera::sharding::rules {

enum class NoRule : uint8_t {
  kStopsPropagation,  // no sharding passes, in either direction
  kStructure,         // parameter, tuple, ...: gone, or no op, when propagation runs
  kSource,            // no array operands: there is nothing to pass
  kDataFlow,          // the values of a loop, a case, a call, a barrier are joined by edges
  kBoundary,          // a custom call at an end of a shard_map: goes into a manual computation
  kMark,              // a custom call that marks a value: gone when propagation runs
};

// For an opcode that has no rule in the table of rules.h, or whose instance got none.
NoRule WhyNoRule(hlo::Opcode opcode);

// For a custom call of this target that got no rule.
NoRule WhyNoRuleOf(absl::string_view target);

// Whether a custom call with this reason is given a rule in vain: the pass takes it out first.
inline bool IsTakenOut(NoRule why) { return why == NoRule::kBoundary || why == NoRule::kMark; }

// In a few words.
absl::string_view NoRuleText(NoRule why);

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_NO_RULE_H_
