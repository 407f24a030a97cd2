// Loop elements that never change, see canonicalize.h.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_BUILD_LOOPS_H_
#define TESSERA_SHARDING_PASSES_IMPORT_BUILD_LOOPS_H_

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Turns all invariants of the loops in the block, at any depth, into captures; each loop that has
// some is made anew without them, once. False if there were none. Linear in the ops and in the uses
// of the invariants.
bool RemoveLoopInvariants(HloProgram* program, Block* block);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_BUILD_LOOPS_H_
