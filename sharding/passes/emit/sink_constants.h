// Constants that a loop or a branch reads from outside are written again inside, one copy a region.

#ifndef TESSERA_SHARDING_PASSES_EMIT_SINK_CONSTANTS_H_
#define TESSERA_SHARDING_PASSES_EMIT_SINK_CONSTANTS_H_

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

void SinkConstants(HloProgram& program);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EMIT_SINK_CONSTANTS_H_
