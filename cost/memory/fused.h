// Values that have no buffer: a back end computes them within the instructions that read them.
//
//   FusedInstructions(module)     // of tanh(x) * 2 + y: all but the sum
//
// As XLA's loop fusion, roughly: element-wise operations, broadcasts, and what only renumbers cells
// go into element-wise readers, reductions and concatenations; what is dear to compute only into a
// lone reader. Cost: linear in operands. Tested by device_memory_test.cc.

#ifndef TESSERA_COST_MEMORY_FUSED_H_
#define TESSERA_COST_MEMORY_FUSED_H_

#include <vector>

#include "tessera/hlo/module.h"

namespace tessera::cost {

using Fused = std::vector<bool>;  // by instruction

Fused FusedInstructions(const hlo::Module& module);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_FUSED_H_
