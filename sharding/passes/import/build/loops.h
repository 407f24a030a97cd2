// Loop elements that never change, see canonicalize.h.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_BUILD_LOOPS_H_
#define TESSERA_SHARDING_PASSES_IMPORT_BUILD_LOOPS_H_

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Turns the invariants of the loop into captures; the loop is made anew without them, in its place.
// Returns the new loop; null if there were none.
Op* RemoveLoopInvariants(HloProgram* program, Op* loop);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_BUILD_LOOPS_H_
