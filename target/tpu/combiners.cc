// all-reduce-combiner, reduce-scatter-combiner: sums over the same devices become one of several
// arrays. All-gathers, permutes and all-to-alls stay alone.
//
//   a = f32[8] all-reduce(x), b = f32[4] all-reduce(y)   ->  c = (f32[8], f32[4]) all-reduce(x, y)
//
// Up to 120 MiB and 256 arrays; what does not fit waits for a later one.
// Sums are counted as they were before they were narrowed: f32 and bf16 may stand in one. Found from
// outside. What crosses the network between slices stays alone. Their order is that of passes/collective_combiners.cc.

#include "tessera/target/passes/collective_combiners.h"
#include "tessera/target/tpu/multislice/slice_groups.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

constexpr int64_t kMaxBytes = int64_t{120} << 20;
constexpr size_t kMaxArrays = 256;

// Of one device of each slice.
bool IsAcrossSlices(const Context& context, GroupsId groups) {
  const auto split = SplitGroups(context.groups.list(groups), context.target.slice_devices());
  return split.has_value() && split->devices_inside() == 1;
}

constexpr Combiner OfTpus(absl::string_view name, Opcode opcode, int64_t XlaFlags::*threshold,
                          int64_t XlaFlags::*most) {
  Combiner combiner = {name, opcode, threshold, nullptr, kMaxBytes, kMaxArrays, most};
  combiner.skips = true;
  combiner.narrowed_by = "narrow-collectives";
  combiner.stays_alone = IsAcrossSlices;
  return combiner;
}

constexpr Combiner kAllReduces = OfTpus("all-reduce-combiner", Opcode::kAllReduce,
                                        &XlaFlags::tpu_all_reduce_combine_threshold_bytes,
                                        &XlaFlags::tpu_all_reduce_combine_threshold_count);
// Of three programs on several slices, none of 28 reduce-scatters was combined.
bool HasSlices(const Context& context, GroupsId) { return context.target.slices > 1; }

constexpr Combiner OfScatters() {
  Combiner combiner = OfTpus("reduce-scatter-combiner", Opcode::kReduceScatter, nullptr, nullptr);
  combiner.stays_alone = HasSlices;
  return combiner;
}

constexpr Combiner kReduceScatters = OfScatters();

}  // namespace

absl::Status CombineTpuAllReduces(Context& context) { return Combine(context, kAllReduces); }
absl::Status CombineTpuReduceScatters(Context& context) {
  return Combine(context, kReduceScatters);
}

}  // namespace tessera::target
