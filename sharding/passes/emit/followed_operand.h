// Ops whose result has the sharding of an operand, and its layout, in modules as XLA's builder makes them.

#ifndef TESSERA_SHARDING_PASSES_EMIT_FOLLOWED_OPERAND_H_
#define TESSERA_SHARDING_PASSES_EMIT_FOLLOWED_OPERAND_H_

#include "tessera/hlo/opcode.h"

namespace tessera::sharding::passes {

// The number of that operand; -1 for none.
int FollowedOperand(hlo::Opcode opcode);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EMIT_FOLLOWED_OPERAND_H_
