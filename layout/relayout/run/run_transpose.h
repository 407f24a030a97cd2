// Running a step of kind kTranspose.

#ifndef TESSERA_LAYOUT_RELAYOUT_RUN_RUN_TRANSPOSE_H_
#define TESSERA_LAYOUT_RELAYOUT_RUN_RUN_TRANSPOSE_H_

#include <cstdint>

#include "tessera/layout/relayout/run/step.h"

namespace tessera::layout::relayout {

// The part of `step` that `mode` names; `src` and `dst` are the step's first elements.
void RunTranspose(const Step& step, const RunMode& mode, const uint8_t* src, uint8_t* dst);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_RUN_RUN_TRANSPOSE_H_
