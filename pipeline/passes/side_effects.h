// Whether an instruction does more than compute its result, as HLO's own passes see it.

#ifndef TESSERA_PIPELINE_PASSES_SIDE_EFFECTS_H_
#define TESSERA_PIPELINE_PASSES_SIDE_EFFECTS_H_

#include "tessera/hlo/module.h"

namespace tessera::pipeline::passes {

// Computations that the instruction names are looked at.
bool HasSideEffect(const hlo::Module& module, hlo::InstructionId id);

// Takes out instructions that nobody uses, from the end of each computation, except parameters,
// roots and what has side effects.
void RemoveDeadInstructions(hlo::Module* module);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_SIDE_EFFECTS_H_
