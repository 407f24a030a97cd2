// Rules of instructions in a short form for tables of tests: operands are written as shapes.
//
//   RuleOf("f32[8,6] dot(f32[8,4], f32[4,6]), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
//   // "([i, k], [k, j])->([i, j]) {i=8, j=6, k=4} reduction={k}"
//
// The result is "none" for an op without a rule, and the message of the error for bad text. Each rule is derived twice:
// the second time only with the attributes that its row in rules.cc names. The result says where the two differ.

#ifndef TESSERA_TESTING_RULES_RULE_OF_TEXT_H_
#define TESSERA_TESTING_RULES_RULE_OF_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tessera/sharding/rules/rules.h"

namespace tessera::sharding::rules {

// `computations` stands in front of the entry computation, for to_apply.
std::string RuleOf(absl::string_view instruction, absl::string_view computations = "",
                   const RuleMode& mode = {});

// The rule of the instruction named `op` in the entry computation with that body.
std::string RuleOfOpIn(absl::string_view body, absl::string_view computations = "",
                       const RuleMode& mode = {});

inline RuleMode Conservative() {
  RuleMode mode;
  mode.conservative = true;
  return mode;
}

}  // namespace tessera::sharding::rules

#endif  // TESSERA_TESTING_RULES_RULE_OF_TEXT_H_
