// A part of a stack that a loop converts to a narrower type: the whole stack is converted before the loop.
//
//   while: w = f32[1,8,64] dynamic-slice(f32[12,8,64] stack, i), c = bf16[1,8,64] convert(w)
//   ->  n = bf16[12,8,64] convert(stack)      // before the first loop; all loops read it
//   while: c = bf16[1,8,64] dynamic-slice(n, i)
//
// The compiler of TPUs does this to weights that a scan over layers reads: the narrow stack is there from the first
// loop to the last. Reshapes and barriers may lie between. Every program of the corpora that scans over
// float32 weights has it. Cost: linear. Tested by narrowed_before_loops_test.cc.

#ifndef TESSERA_TARGET_DATAFLOW_NARROWED_BEFORE_LOOPS_H_
#define TESSERA_TARGET_DATAFLOW_NARROWED_BEFORE_LOOPS_H_

#include "tessera/target/dataflow/dataflow.h"

namespace tessera::target {

void NarrowBeforeLoops(Dataflow* flow);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_DATAFLOW_NARROWED_BEFORE_LOOPS_H_
