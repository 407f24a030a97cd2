// File: op_traits.h
//
// The opcodes that are element-wise to propagation. Their rule is pointwise, but for those that XLA
// imports as ops without a rule.

#ifndef TESSERA_SHARDING_RULES_OP_TRAITS_H_
#define TESSERA_SHARDING_RULES_OP_TRAITS_H_

#include "tessera/hlo/opcode.h"

namespace tessera::sharding::rules {

// Element-wise whatever the shapes. (bitcast-convert is if the shapes are equal.)
bool IsElementWiseOpcode(hlo::Opcode opcode);

// Element-wise, and with a pointwise rule.
bool IsPointwiseOpcode(hlo::Opcode opcode);

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_OP_TRAITS_H_
