// Captures of regions. Internal to the package.
//
//   program   r = while(x) { .. uses w .. }      HLO   t = tuple(x, w); s = while(t); r = s#0

#ifndef TESSERA_SHARDING_PASSES_EMIT_REGIONS_CAPTURES_H_
#define TESSERA_SHARDING_PASSES_EMIT_REGIONS_CAPTURES_H_

#include <vector>

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Values of outside that the blocks of `op` use, in order of first use.
std::vector<Value*> CapturedBy(const Op* op);
std::vector<Value*> CapturedBy(Block* block);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EMIT_REGIONS_CAPTURES_H_
