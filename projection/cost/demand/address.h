// Whether an operation moves anything at all: a reshape or transpose whose cells all keep their
// byte addresses is free.
//
//   KeepsAddresses(module, id)   // f32[4,8]{1,0} -> f32[32]{0}: true; a transpose to {1,0}: false
#ifndef TESSERA_PROJECTION_COST_DEMAND_ADDRESS_H_
#define TESSERA_PROJECTION_COST_DEMAND_ADDRESS_H_

#include "tessera/hlo/module.h"

namespace tessera::projection {

// For reshape and transpose, through the layouts of both sides. Tiled layouts count as moved unless
// nothing differs.
bool KeepsAddresses(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_DEMAND_ADDRESS_H_
