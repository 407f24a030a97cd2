// Large constants of one value become a scalar and its broadcast, as in the reference: a shardable
// op in place of a block of data.
//
//   c = f32[8,16] constant({...all 1})  ->  s = f32[] constant(1);  c = f32[8,16] broadcast(s)

#ifndef TESSERA_SHARDING_PASSES_IMPORT_SPLAT_CONSTANTS_H_
#define TESSERA_SHARDING_PASSES_IMPORT_SPLAT_CONSTANTS_H_

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Constants with fewer elements stay.
inline constexpr int64_t kLargeSplat = 32;

// The broadcast inherits the sharding of the constant.
void ExpandSplatConstants(HloProgram* program);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_SPLAT_CONSTANTS_H_
