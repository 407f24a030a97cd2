// Manual computations that can be smaller, see canonicalize.h.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_MANUAL_CLEANUP_H_
#define TESSERA_SHARDING_PASSES_IMPORT_MANUAL_CLEANUP_H_

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// One of: arguments without uses go; a computation without arguments, results and ops goes; one
// whose manual axes are all of size 1 is inlined. Returns whether anything changed.
bool SimplifyManual(HloProgram* program, Op* manual);

// Puts the ops of the only block in front of `op`, its arguments being the operands; what the block
// yields takes over the results.
void InlineBlock(HloProgram* program, Op* op);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_MANUAL_CLEANUP_H_
