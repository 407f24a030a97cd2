// splitk-rewriter: a product of few tiles is made in parts of what it contracts, so that more cores work.
//
//   d = f32[16,128] dot(x, w)                                   of x = f32[16,8192]
//   ->  p = f32[32,16,128] dot(f32[16,32,256] reshape(x), ..),  lhs_batch_dims={1}, lhs_contracting_dims={2}
//       s = f32[16,128] reduce(p, 0), dimensions={0}
//
// The number of parts is the power of two up to 2048 for which XLA's model of the chip counts least. It
// counts tiles of 128 x 128 on all cores, or the bytes of the product, and the sum of the parts after it.
// A size that does not divide is padded with zeros; parts are summed in 32 bits.
//
// Cost: linear. Tested by splitk_rewriter_test.cc.

#ifndef TESSERA_TARGET_GPU_SPLITK_REWRITER_H_
#define TESSERA_TARGET_GPU_SPLITK_REWRITER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

// The sizes of a product, and the bits of an element on each side, of a sum of parts and of the result.
struct ProductSizes {
  int64_t batch = 1, rows = 1, columns = 1, contracted = 1;
  int64_t left_bits = 32, right_bits = 32, sum_bits = 32, result_bits = 32;
};

// In how many parts the chip makes it.
int64_t PartsOfProduct(const ProductSizes& sizes, const Chip& gpu);

absl::Status SplitProducts(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_SPLITK_REWRITER_H_
