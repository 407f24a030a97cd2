// The devices of a collective.
//
//   GroupSize(module, id)    // 8: replica_groups={{0,1,2,3,4,5,6,7}}
#ifndef TESSERA_PROJECTION_SIGNATURES_COLLECTIVES_H_
#define TESSERA_PROJECTION_SIGNATURES_COLLECTIVES_H_

#include <cstdint>

#include "tessera/hlo/module.h"

namespace tessera::projection {

// Devices that take part in one exchange; 1 when nothing is said.
int64_t GroupSize(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURES_COLLECTIVES_H_
