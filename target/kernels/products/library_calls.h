// The matrix products and convolutions that the compiler of a GPU leaves to cuBLAS and cuDNN.
//
//   // %g = (bf16[64,256], s8[33554432]) custom-call(%x, %w), custom_call_target="__cublas$lt$matmul",
//   //   backend_config={"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],..},..},..}
//   LibraryProductOf(module, id)->multiplies       // 64 * 256 * 1024
//
// A convolution has window and dim_labels, as the instruction that it was. The second result is work space: of
// unknown use, and counted as none. Attention by cuDNN (`__cudnn$fmha..`) is not read. Tested by library_calls_test.cc.

#ifndef TESSERA_TARGET_KERNELS_PRODUCTS_LIBRARY_CALLS_H_
#define TESSERA_TARGET_KERNELS_PRODUCTS_LIBRARY_CALLS_H_

#include <optional>

#include "tessera/hlo/module.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::target {

// `multiplies`, the width and kind of elements, and whether it is a window; none for any other instruction.
std::optional<Product> LibraryProductOf(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_PRODUCTS_LIBRARY_CALLS_H_
