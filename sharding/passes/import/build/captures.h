// Decouples the shardings of values that loops capture from those they have outside.
//
//   w (sharded) is read in a loop   ->   w' = constraint(w, fully open); the loop reads w'
//
// Otherwise what the user said about w outside would bind the loop. The constraint ends as a copy
// in front of the loop.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_BUILD_CAPTURES_H_
#define TESSERA_SHARDING_PASSES_IMPORT_BUILD_CAPTURES_H_

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// For each loop, inner ones first: each value from outside with a sharding of rank 1 or more that
// is not open throughout is read through such a constraint (OpPart::kOpened).
void OpenWhileFreeVarsShardings(HloProgram* program);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_BUILD_CAPTURES_H_
