// The gradient of a kernel, over images of which one operand or both are split.
//
//   [3,3,C,F] convolution(x, g), window={size=64x64 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf
//   ->  [3,3,C,F,1] convolution([64,16,9,C,3], [64,16,9,F,1]), window={size=64x9x1 pad=1_1x0_0x0_0},
//       dim_labels=0f1b2_0i1o2->02bf1
//
// Images are contracted, and the window has their width. Tested by //testing/target_passes.

#ifndef TESSERA_TARGET_TPU_SPACE_TO_BATCH_KERNEL_GRADIENTS_H_
#define TESSERA_TARGET_TPU_SPACE_TO_BATCH_KERNEL_GRADIENTS_H_

#include "tessera/target/program/device_program.h"
#include "tessera/target/tpu/space_to_batch/split_arrays.h"

namespace tessera::target {

// `x`, `g`: the operands where they are split, else null. False where the convolution is no such gradient; one whose
// parts do not fit stays as it is.
bool SplitGradient(DeviceProgram& program, SplitArrays& arrays, InstructionId id,
                   const SplitValue* x, const SplitValue* g);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_TPU_SPACE_TO_BATCH_KERNEL_GRADIENTS_H_
