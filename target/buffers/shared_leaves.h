// Which arrays of a result lie in the memory of an operand: what an instruction of a finished
// program updates in place.
//
//   // %u = f32[8] dynamic-update-slice(%x, %y, %i)
//   SharedLeaves(module, u, &numbers);   // {{0, 0}}: array 0 of the result, array 0 of all operands
//   // %f = (f32[8], f32[2]) fusion(%x, %y), backend_config={"aliasing_operands":{"lists":[..
//   SharedLeaves(module, f, &numbers);   // as the lists of a TPU say
//
// A TPU lists them in the configuration of any instruction; its call ConcatBitcast is the memory of
// its operands. A ragged-all-to-all writes into its operand 1. Where no list stands, a fusion updates
// in place what its computation does: a dynamic-update-slice or scatter at the root whose operand 0 is
// a parameter, bitcasts aside. These rules are those of XLA's data-flow analysis. Cost: linear in the operands, and of a fusion in the
// results of its computation. Tested by device_buffers_test.cc.

#ifndef TESSERA_TARGET_BUFFERS_SHARED_LEAVES_H_
#define TESSERA_TARGET_BUFFERS_SHARED_LEAVES_H_

#include <cstddef>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/layout/leaves.h"

namespace tessera::target {

struct SharedLeaf {
  size_t result = 0;
  size_t operand = 0;  // among the leaves of all operands, one operand after the other
};

// Numbers may be too large for a text that was made by hand: check them.
std::vector<SharedLeaf> SharedLeaves(const hlo::Module& module, hlo::InstructionId id,
                                     layout::LeafNumbers* numbers);

// Those of the attribute output_to_operand_aliasing alone.
std::vector<SharedLeaf> AliasedLeaves(const hlo::Module& module, hlo::InstructionId id,
                                      layout::LeafNumbers* numbers);

// Whether the result is the memory of all operands: a call of a TPU for an array that came in slices.
bool IsConcatenatedInPlace(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_SHARED_LEAVES_H_
