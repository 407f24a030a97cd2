// Manual computations before propagation: their axes in mesh order, and reserved where the in- and
// out-shardings do not mention them.
//
//   manual {"b", "a"}, in [{"a"}, {?}]    ->    manual {"a", "b"}, in [{"a"}, {?}] replicated={"b"}

#ifndef TESSERA_SHARDING_PASSES_PREPARE_MANUAL_AXES_H_
#define TESSERA_SHARDING_PASSES_PREPARE_MANUAL_AXES_H_

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

void ReserveManualAxes(HloProgram* program);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PREPARE_MANUAL_AXES_H_
