// all-reduce-combiner, reduce-scatter-combiner: sums over the same devices become one of several
// arrays. All-gathers, permutes and all-to-alls stay alone.
//
//   a = f32[8] all-reduce(x), b = f32[4] all-reduce(y)   ->  c = (f32[8], f32[4]) all-reduce(x, y)
//
// Up to 120 MiB and 256 arrays; what does not fit waits for a later one.
// Sums are counted as they were before they were narrowed: f32 and bf16 may stand in one. Found from
// outside. Their order is that of passes/collective_combiners.cc.

#include "tessera/target/passes/collective_combiners.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

constexpr int64_t kMaxBytes = int64_t{120} << 20;
constexpr size_t kMaxArrays = 256;

constexpr Combiner OfTpus(absl::string_view name, Opcode opcode, int64_t XlaFlags::*threshold,
                          int64_t XlaFlags::*most) {
  Combiner combiner = {name, opcode, threshold, nullptr, kMaxBytes, kMaxArrays, most};
  combiner.skips = true;
  combiner.narrowed_by = "narrow-collectives";
  return combiner;
}

constexpr Combiner kAllReduces = OfTpus("all-reduce-combiner", Opcode::kAllReduce,
                                        &XlaFlags::tpu_all_reduce_combine_threshold_bytes,
                                        &XlaFlags::tpu_all_reduce_combine_threshold_count);
constexpr Combiner kReduceScatters =
    OfTpus("reduce-scatter-combiner", Opcode::kReduceScatter, nullptr, nullptr);

}  // namespace

absl::Status CombineTpuAllReduces(Context& context) { return Combine(context, kAllReduces); }
absl::Status CombineTpuReduceScatters(Context& context) {
  return Combine(context, kReduceScatters);
}

}  // namespace tessera::target
