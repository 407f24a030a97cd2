// Which operands a kernel of a CPU or GPU may write its results over, once nobody else needs them.
//
//   // %f = f32[8] fusion(%x, %y), kind=kLoop: negate(x) * y
//   ReusableOperands reusable(module, &numbers);
//   reusable.Of(f);                // {{0, 0}, {0, 1}}: the result may lie in x or in y
//
// It reads each cell of the operand before it writes the same cell. So does an element-wise instruction
// on an operand of its own shape. So does a fusion if only element-wise operations, bitcasts and
// updates at a place lead from the parameter to results. One of these must have its shape. Each result
// of a sort may lie in its operand if nothing else names that. A copy lies over nothing. These rules
// are those of XLA's data-flow analysis. Its GPU back end asks only for as many elements of as many
// bytes, and reduces before it writes other results. It may read the place that the result updates, and
// it sums an all-reduce in its operands. A result that the kernel goes on to compute with lies over
// nothing. A TPU lists what it does (shared_leaves.h).
//
// Cost: linear in the instructions of a fusion, and for the first sort in those of the module. Tested by
// device_buffers_test.cc, and against the compilers by testing/compiled.

#ifndef TESSERA_TARGET_BUFFERS_REUSED_OPERANDS_H_
#define TESSERA_TARGET_BUFFERS_REUSED_OPERANDS_H_

#include <cstdint>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/layout/leaves.h"
#include "tessera/target/buffers/shared_leaves.h"

namespace tessera::target {

class ReusableOperands {
 public:
  ReusableOperands(const hlo::Module& module, layout::LeafNumbers* numbers)
      : module_(module), numbers_(*numbers) {}

  // Results in order; for each one the operands in order.
  std::vector<SharedLeaf> Of(hlo::InstructionId id);

 private:
  std::vector<SharedLeaf> OfSort(hlo::InstructionId id);
  void CountNames();

  const hlo::Module& module_;
  layout::LeafNumbers& numbers_;
  std::vector<uint32_t> names_;  // by InstructionId, how often it is an operand; counted for a sort
};

// XLA's GPU back end writes the queue of each kernel.
bool IsOnGpu(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_REUSED_OPERANDS_H_
