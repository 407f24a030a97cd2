// Microseconds that XLA's latency hiding scheduler takes products and collectives of an H100 for.
//
//   ProductMicros({m 4096, n 4096, k 4096, batch 1, width 2}, 2)   // 176: 780 TFLOP/s
//   MessageMicros(Opcode::kAllGather, 1 << 20, 8)                  // 47, of the whole array
//   PermuteMicros(Exchange::kMutual, 1 << 20)                      // 32, of pairs that change places
//   OwnKernelMicros(1 << 20, 8)                                    // 9.7, of a sum that needs no NCCL
//
// XLA looks both up in tables of measured times (openxla/xla, sol_latency_estimator). The compiler was asked for times of
// powers of two (jax-cuda12-plugin 0.12.0.1 says them in its log). Other collectives move as
// many bytes a second as the nearest of them, on either side of the table, too. For products a formula is within 6 % on
// average of 185 in bf16, 10 % of 76 in f32: a start, operations, and bytes at three rates. Below 256 and beyond 4096 in a
// dimension, and beyond 4 in a batch, the rate is what it is there. Cost: constant. Tested by gpu_latencies_test.cc.

#ifndef TESSERA_COST_MEMORY_GPU_LATENCIES_H_
#define TESSERA_COST_MEMORY_GPU_LATENCIES_H_

#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "tessera/hlo/opcode.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::cost {

// `result_width`: bytes of an element of the result.
double ProductMicros(const target::Product& product, double result_width);

// Of `bytes` before or after it, whichever are more, among 2 to 8 devices that NVLink joins.
double MessageMicros(hlo::Opcode opcode, double bytes, int64_t devices);

// Which devices of a permute send and receive.
enum class Exchange : uint8_t {
  kOneWay,  // no device does both
  kMutual,  // each receives from the device that it sends to
  kOther,
};
// Cost: linear.
Exchange ExchangeOf(absl::Span<const std::pair<int64_t, int64_t>> pairs);

double PermuteMicros(Exchange exchange, double bytes);

// Of an all-reduce for which target::RunsByOwnKernel().
double OwnKernelMicros(double bytes, int64_t devices);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_GPU_LATENCIES_H_
