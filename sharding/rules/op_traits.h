// Properties of an op for propagation beside its rule.
//
//   TraitsOf(op).element_wise;    // true for add, false for dot
//   TraitsOf(op).flow;            // OpPriorityClass::kPassThrough for add, reshape and transpose

#ifndef TESSERA_SHARDING_RULES_OP_TRAITS_H_
#define TESSERA_SHARDING_RULES_OP_TRAITS_H_

#include <cstdint>

#include "tessera/hlo/opcode.h"
#include "tessera/sharding/op_traits.h"
#include "tessera/sharding/rules/op_view.h"

namespace tessera::sharding::rules {

using sharding::OpPriorityClass;
using sharding::OpTraits;

OpTraits TraitsOf(const OpView& op);

// Element-wise whatever the shapes; bitcast-convert is not among them, being element-wise only if
// the shapes are equal. Some of these have no rule: stochastic-convert.
bool IsElementWiseOpcode(hlo::Opcode opcode);

// Element-wise, and with the rule of PointwiseRule (rules.h).
bool IsPointwiseOpcode(hlo::Opcode opcode);

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_OP_TRAITS_H_
