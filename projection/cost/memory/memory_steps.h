// File: projection/cost/memory/memory_steps.h
//
// How instructions use memory: in what order, which of them make new buffers, and on which array of
// their operands the others stand.
#ifndef TESSERA_PROJECTION_COST_MEMORY_MEMORY_STEPS_H_
#define TESSERA_PROJECTION_COST_MEMORY_MEMORY_STEPS_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/projection/cost/memory/liveness.h"

namespace tessera::projection {

BufferKind KindOf(const hlo::Module& module, hlo::InstructionId id);

// Which array of which operand array `leaf` of an alias, or of what is written in place, stands on:
// a position among all operand arrays.
int SourceOf(const hlo::Module& module, hlo::InstructionId id, int leaf);

// Array `leaf` of a loop that its body only hands on: it stands where the loop's operand stands.
bool IsHandedOn(const hlo::Module& module, hlo::InstructionId loop, int leaf);

// The text's order where the module is scheduled, else post-order from the root, control
// predecessors first.
std::vector<hlo::InstructionId> OrderOf(const hlo::Module& module, hlo::ComputationId computation);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_MEMORY_MEMORY_STEPS_H_
