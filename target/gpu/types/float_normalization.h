// float-normalization-bf16, simplify-fp-conversions: a GPU computes some operations on bfloat16 as float32.
//
//   t = bf16[8] tanh(x: bf16[8])        ->  convert(tanh(convert(x) to f32)) to bf16
//   convert(convert(y: f32) to bf16) to f32      ->  y: excess precision is allowed
//
// Of operations on elements, those that no GPU has (quotients, tanh, roots ..) or that its compute capability is too
// low for. Each operand gets a convert of its own. A convert of the result to float32 is the result. Then a chain of
// converts between floats is one convert, or none.
//
// What a product computes besides (priority_fusion/products/product_fusion.h) stays as it is: in XLA it is a fusion already.
//
// Not modelled: reductions by an operation that the GPU does not have, and types other than bfloat16.
//
// Cost: linear in the program. Tested by float_normalization_test.cc.

#ifndef TESSERA_TARGET_GPU_TYPES_FLOAT_NORMALIZATION_H_
#define TESSERA_TARGET_GPU_TYPES_FLOAT_NORMALIZATION_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status NormalizeBf16(Context& context);
absl::Status SimplifyFpConversions(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_TYPES_FLOAT_NORMALIZATION_H_
