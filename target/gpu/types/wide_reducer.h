// The computation of a reduction over windows, on float32 in place of bfloat16.
//
//   {a, b: bf16[]; maximum(a, b)}  ->  {a, b: f32[]; convert(maximum(convert(a), convert(b)))}

#ifndef TESSERA_TARGET_GPU_TYPES_WIDE_REDUCER_H_
#define TESSERA_TARGET_GPU_TYPES_WIDE_REDUCER_H_

#include "tessera/layout/shape.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// float32 for bfloat16; others as they are.
layout::Shape Widened(const layout::Shape& shape);

// Gives the reduction a computation of its own, whose parameters and results are widened. Linear in the computation.
void WidenReducer(DeviceProgram& program, InstructionId reduction);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_TYPES_WIDE_REDUCER_H_
