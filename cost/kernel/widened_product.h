// The time of a product that reads a factor in more bytes than it multiplies.
//
//   %fused { %w = bf16[4096,16384] convert(f32[4096,16384] %p)
//            ROOT %d = bf16[16384,16384] dot(bf16[16384,4096] %x, %w) }
//
// The product runs in windows: M and N are cut, and each window reads its rows of %x and its columns of %w again. The
// next part of a factor in HBM arrives meanwhile, if it has the type that is multiplied. It does not if the factor is
// converted, or computed from several arrays, and the other one lies in HBM too. Then the compiler counts the reads and
// the product one after the other:
//
//   cycles = fixed + multiplications / those of a cycle + bytes read and written / bytes of a cycle
//
// In the example %x is read 16 times and %p 16 times, which takes 0.7 of the time of the product. The
// compiler takes the way that reads least: windows of a fixed size, or one of the two factors in parts that fit the
// memory of a kernel.
//
// Found by comparing the windows and cycles of 48 such products in final modules (libtpu 0.0.50.1). Cost: constant. Tested by
// kernel_time_test.cc.

#ifndef TESSERA_COST_KERNEL_WIDENED_PRODUCT_H_
#define TESSERA_COST_KERNEL_WIDENED_PRODUCT_H_

#include "tessera/cost/kernel/tpu_rates.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::cost {

// Reads one factor in more bytes than it multiplies, and the other from HBM too.
bool IsWidened(const target::Product& product);

// In cycles: of reading and writing, where all factors are read once for each window that needs them.
double StreamedCycles(const target::DeviceKernel& kernel, const target::Product& product,
                      const TpuRates& rates);

}  // namespace tessera::cost

#endif  // TESSERA_COST_KERNEL_WIDENED_PRODUCT_H_
