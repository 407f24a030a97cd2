// Which operands a kernel of a CPU or GPU may write its results over, once nobody else needs them.
//
//   // %f = f32[8] fusion(%x, %y), kind=kLoop: negate(x) * y
//   ReusableLeaves(module, f);     // {{0, 0}, {0, 1}}: the result may lie in x or in y
//
// It reads each cell of the operand before it writes the same cell: an element-wise instruction on
// an operand of its own shape; a fusion in which only element-wise operations, bitcasts and updates
// at a place lead from the parameter to results, one of which has the same shape; a sort, whose
// operands are its results. These rules are those of XLA's data-flow analysis. Its GPU back end asks
// only for as many elements of as many bytes, reduces before it writes other results, may read the
// place that the result updates, and sums an all-reduce in its operands; but a result that the kernel
// goes on to compute with lies over nothing. A TPU lists what it does (shared_leaves.h).
//
// Cost: linear in the instructions of a fusion. Tested by device_buffers_test.cc, and against the
// compilers by testing/compiled.

#ifndef TESSERA_TARGET_BUFFERS_REUSED_OPERANDS_H_
#define TESSERA_TARGET_BUFFERS_REUSED_OPERANDS_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/layout/leaves.h"
#include "tessera/target/buffers/shared_leaves.h"

namespace tessera::target {

// Results in order; for each one the operands in order.
std::vector<SharedLeaf> ReusableLeaves(const hlo::Module& module, hlo::InstructionId id,
                                       layout::LeafNumbers* numbers);

// XLA's GPU back end writes the queue of each kernel.
bool IsOnGpu(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_REUSED_OPERANDS_H_
