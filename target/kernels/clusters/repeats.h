// The values that a kernel computes again although another one reads them, too.
//
//   %b = f32[64,64] broadcast(%x)               // IsCheap: in each kernel that reads it
//   %e = f32[64,64] exponential(%s)             // IsRepeated: of one operand of full size
//   %q = f32[64,64] divide(%e, %z)              // not: of two
//
//   %w = f32[8,64] reduce-window(%s), window={size=1x127 pad=0_0x63_63}      // a row window (op_kinds.h)
//   %e = f32[8,64] exponential(%s - %w)         // not repeated: it needs the whole row
//
// Found by comparing with what TPU compilers make (clusters.h). Tested by kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_CLUSTERS_REPEATS_H_
#define TESSERA_TARGET_KERNELS_CLUSTERS_REPEATS_H_

#include "tessera/hlo/module.h"

namespace tessera::target {

// Moves data or converts it: in any number of kernels.
bool IsCheap(hlo::Opcode opcode);
// Arithmetic that is repeated in a few kernels. Exponentials and divisions only with one operand of full size, and
// not right after a row window.
bool IsRepeated(const hlo::Module& module, hlo::InstructionId id);

// A slice at a computed place, maybe in another form or type. What a broadcast repeats of it is written before: no
// fusion of 56 final modules for TPUs has both.
bool IsOfSlice(const hlo::Module& module, hlo::InstructionId id);

// Of two arrays of full size.
bool TakesTwo(const hlo::Module& module, hlo::InstructionId id);
// A convert to more bytes: who reads it reads fewer bytes in front of it.
bool Widens(const hlo::Module& module, hlo::InstructionId id);
// Converts what a kernel computes to fewer bytes.
bool Narrows(const hlo::Module& module, hlo::InstructionId id);
// The exponential of a difference from a row window, as in a softmax.
bool IsAfterRowWindow(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_CLUSTERS_REPEATS_H_
