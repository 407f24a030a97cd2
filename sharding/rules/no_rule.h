// Why an op has no rule. Not every op without one stops propagation.
//
//   WhyNoRule(Opcode::kMap);      // NoRule::kStopsPropagation: no sharding passes
//   WhyNoRule(Opcode::kWhile);    // NoRule::kDataFlow: shardings pass by edges

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
};

// For an opcode that has no rule in the table of rules.h, or whose instance got none.
NoRule WhyNoRule(hlo::Opcode opcode);

// In a few words.
absl::string_view NoRuleText(NoRule why);

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_NO_RULE_H_
