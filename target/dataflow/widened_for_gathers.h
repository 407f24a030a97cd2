// Logits that are widened for a gather: the product writes them in both types.
//
//   n = bf16[2,1023,32000] dot(x, w), f = f32[2,1023,32000] convert(n), g = gather(f, i), s = subtract(f, b)
//   ->  n, f' = dot(x, w), f = convert(n), g = gather(f', i), s = subtract(f, b)
//
// A gather reads its operand in memory, so the kernel of the product writes the wide array beside the narrow one.
// What else reads it, as the softmax of a cross entropy and its backward pass, is computed of the narrow one: the
// wide one is gone after the gather. A slice of the product is part of that kernel. Every loss that picks logits of
// bfloat16 as float32 has it, also with a soft cap after the convert. Likewise a slice of logits that several read, with a soft cap in between: it is written
// for the gather, and what else reads it takes the logits. Cost: linear. Tested by widened_for_gathers_test.cc.

#ifndef TESSERA_TARGET_DATAFLOW_WIDENED_FOR_GATHERS_H_
#define TESSERA_TARGET_DATAFLOW_WIDENED_FOR_GATHERS_H_

#include "tessera/target/dataflow/dataflow.h"

namespace tessera::target {

void WidenInProducts(Dataflow* flow);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_DATAFLOW_WIDENED_FOR_GATHERS_H_
