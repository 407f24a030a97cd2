// all-reduce-combiner, reduce-scatter-combiner: sums over the same devices become one of several
// arrays. All-gathers, permutes and all-to-alls stay alone.
//
//   a = f32[8] all-reduce(x), b = f32[4] all-reduce(y)   ->  c = (f32[8], f32[4]) all-reduce(x, y)
//
// Up to 120 MiB and 256 arrays; found from outside. Their order is that of passes/
// collective_combiners.cc.

#include "tessera/target/passes/collective_combiners.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

constexpr int64_t kMaxBytes = int64_t{120} << 20;
constexpr size_t kMaxArrays = 256;

constexpr Combiner kAllReduces = {"all-reduce-combiner",
                                  Opcode::kAllReduce,
                                  &XlaFlags::tpu_all_reduce_combine_threshold_bytes,
                                  nullptr,
                                  kMaxBytes,
                                  kMaxArrays,
                                  &XlaFlags::tpu_all_reduce_combine_threshold_count};
constexpr Combiner kReduceScatters = {
    "reduce-scatter-combiner", Opcode::kReduceScatter, nullptr, nullptr, kMaxBytes, kMaxArrays};

}  // namespace

absl::Status CombineTpuAllReduces(Context& context) { return Combine(context, kAllReduces); }
absl::Status CombineTpuReduceScatters(Context& context) {
  return Combine(context, kReduceScatters);
}

}  // namespace tessera::target
