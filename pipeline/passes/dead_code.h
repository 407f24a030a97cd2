// Takes dead instructions out.

#ifndef TESSERA_PIPELINE_PASSES_DEAD_CODE_H_
#define TESSERA_PIPELINE_PASSES_DEAD_CODE_H_

#include "tessera/hlo/module.h"

namespace tessera::pipeline::passes {

// Takes out instructions that nobody uses, from the end of each computation, except parameters,
// roots and what has side effects.
void RemoveDeadInstructions(hlo::Module* module);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_DEAD_CODE_H_
