// The reads of a kernel from memory for each side of its product.
//
//   %w = bf16[64,32] convert(f32[64,32] %p)      // %p in HBM
//   %d = bf16[8,32] dot(bf16[8,64] %x, %w)       // {bytes 1024, from_memory 1024}, {4096, 8192}
//
// A walk back from an operand of the product to the arrays that the kernel reads. An array of fewer than half its
// elements, such as a bias, does not count. Cost: linear in the nodes, for each product. Tested by
// kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_PRODUCTS_FACTORS_H_
#define TESSERA_TARGET_KERNELS_PRODUCTS_FACTORS_H_

#include <array>
#include <cstdint>

#include "tessera/hlo/module.h"
#include "tessera/target/kernels/body.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::target {

// Of `node`, a product of `body`.
std::array<Factor, 2> FactorsOf(const hlo::Module& module, const Body& body, int32_t node);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_PRODUCTS_FACTORS_H_
