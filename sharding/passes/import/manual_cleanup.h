// Manual computations that can be smaller, see canonicalize.h.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_MANUAL_CLEANUP_H_
#define TESSERA_SHARDING_PASSES_IMPORT_MANUAL_CLEANUP_H_

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// One of: removes arguments without uses; removes a computation without arguments, results and ops;
// inlines one whose manual axes all have size 1. Returns whether anything changed.
bool SimplifyManual(HloProgram* program, Op* manual);

// Moves the ops of the only block before `op`, with the operands as its arguments; the yielded
// values replace the results.
void InlineBlock(HloProgram* program, Op* op);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_MANUAL_CLEANUP_H_
