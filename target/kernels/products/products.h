// The matrix product that a dot or a convolution is.
//
//   // dot of f32[2,64,256] and f32[2,256,128], batch {0}
//   ProductOf(module, id)        // m 64, n 128, k 256, batch 2
//
// TPU compilers write a dot as a convolution, with the dimensions beyond the first of each kind as
// dimensions of the window:
//
//   | input | window | output            | is                   |
//   |-------|--------|-------------------|----------------------|
//   | n     | n      | 1                 | contracted           |
//   | n     | 1      | n                 | rows                 |
//   | 1     | n      | n, padded by n-1  | columns              |
//   | n     | n      | n, dilated input  | a batch              |
//
// Any other window makes it a convolution: its positions are rows, its taps are contracted. Tested
// by kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_PRODUCTS_PRODUCTS_H_
#define TESSERA_TARGET_KERNELS_PRODUCTS_PRODUCTS_H_

#include <optional>

#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::target {

// With the width and kind of the elements of both sides.
Product ProductOfTypes(const layout::Shape& lhs, const layout::Shape& rhs);

// None for any other opcode.
std::optional<Product> ProductOf(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_PRODUCTS_PRODUCTS_H_
