// The results of the entry that lowering will return through a reshape, which makes them row-major.
//
//   t = f32[3,2]{0,1} transpose(p)
//   ROOT r = (f32[3,2]{1,0}, f32[2,3]{1,0}) tuple(t, p)
//   IsLaidOut(program, 0)     // true: t will be {0,1}; the reshape has the sharding of the result
//
// Precondition: the program is not lowered yet.

#ifndef TESSERA_SHARDING_PASSES_EMIT_LAID_OUT_RESULTS_H_
#define TESSERA_SHARDING_PASSES_EMIT_LAID_OUT_RESULTS_H_

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

bool IsLaidOut(const HloProgram& program, int result);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EMIT_LAID_OUT_RESULTS_H_
