// Whether an instruction does more than compute its result, as HLO's own passes see it.
//
//   HasSideEffect(module, id)     // send: yes; add: no; all-reduce: only with constrain_layout=true
//
// What has none and no users is dead.

#ifndef TESSERA_HLO_SIDE_EFFECTS_H_
#define TESSERA_HLO_SIDE_EFFECTS_H_

#include "tessera/hlo/module.h"

namespace tessera::hlo {

// Computations that the instruction names are looked at.
bool HasSideEffect(const Module& module, InstructionId id);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_SIDE_EFFECTS_H_
