// A reduction of one array that becomes two, the second of the result of the first.
//
//   ReductionSteps steps(&program, reduce);      // f32[4] reduce(x: f32[4,8,16]), dimensions={1,2}
//   steps.sizes();                               // {4, 128}: dimensions side by side that are reduced are one
//   steps.reduced();                             // {1}
//   steps.InParts(1, 16, 8);                     // x as f32[4,16,8] over 2, then over 1
//
// Tested by tree_reduction_rewriter_test.cc and reduction_splitter_test.cc.

#ifndef TESSERA_TARGET_GPU_REDUCTIONS_STEPS_H_
#define TESSERA_TARGET_GPU_REDUCTIONS_STEPS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "tessera/target/pass.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {

class ReductionSteps {
 public:
  ReductionSteps(DeviceProgram* program, InstructionId reduce);

  const IntList& sizes() const { return sizes_; }
  const IntList& reduced() const { return reduced_; }

  // Over dimension d of sizes(), then over the other ones that are reduced.
  void Over(int64_t d);
  // Dimension d, padded, as one of `last` elements, each of which `first` become first, with all others that are
  // reduced.
  void InParts(int64_t d, int64_t last, int64_t first);

 private:
  void Group();
  InstructionId As(const IntList& sizes, InstructionId x);
  void Pad(int64_t d, int64_t size);
  InstructionId Reduced(const IntList& dimensions, InstructionId operand, const IntList& sizes);
  void Finish(InstructionId first, const IntList& dimensions);

  DeviceProgram& program_;
  const InstructionId reduce_;
  InstructionId operand_;
  IntList sizes_, reduced_;  // of the operand, and which of them
};

// Calls `rewrite` for each reduction of one array.
void ForEachReduction(DeviceProgram& program, absl::FunctionRef<void(InstructionId)> rewrite);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_REDUCTIONS_STEPS_H_
