// Values that have no buffer: a back end computes them within the instructions that read them.
//
//   FusedInstructions(module, {})     // of tanh(x) * 2 + y: all but the sum
//
// As XLA's loop fusion, roughly: element-wise operations, broadcasts, and what only renumbers cells
// go into element-wise readers, reductions and concatenations; what is dear to compute only into a
// lone reader. Not those that a message needs. Cost: linear in operands. Tested by
// device_memory_test.cc.

#ifndef TESSERA_COST_MEMORY_FUSED_H_
#define TESSERA_COST_MEMORY_FUSED_H_

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/module.h"

namespace tessera::cost {

// `received`: bytes of messages that an instruction asks for; its operands stay in memory.
absl::flat_hash_set<hlo::InstructionId> FusedInstructions(
    const hlo::Module& module, const absl::flat_hash_map<hlo::InstructionId, int64_t>& received);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_FUSED_H_
