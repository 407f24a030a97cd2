// all-reduce-combiner, reduce-scatter-combiner: sums over the same devices become one of several
// arrays. All-gathers, permutes and all-to-alls stay alone.
//
//   a = f32[8] all-reduce(x), b = f32[4] all-reduce(y)   ->  c = (f32[8], f32[4]) all-reduce(x, y)
//
// All-reduces: up to 120 MiB and 256 arrays. Reduce-scatters over n devices: a device keeps n + 4 buffers of its parts
// in the memory that TilesOfChunks() counts. Of 43 programs with two and more, all but three have them so: two small
// steps and one that accumulates gradients combine fewer. What does not fit waits for a later one.
// Sums are counted as they were before they were narrowed: f32 and bf16 may stand in one. What crosses the network
// between slices stays alone. Found from outside. Their order is that of passes/collective_combiners.cc.

#include "tessera/target/passes/collective_combiners.h"
#include "tessera/target/tpu/multislice/slice_collectives.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

constexpr int64_t kMaxBytes = int64_t{120} << 20;
constexpr size_t kMaxArrays = 256;

// Of one device of each slice.
bool IsAcrossSlices(const Context& context, InstructionId, GroupsId groups) {
  const auto split = SliceGroupsOf(context, groups);
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

// Those that are no fusion of a sum and a slice, or of one device of each slice.
bool IsOfSlices(const Context& context, InstructionId id, GroupsId groups) {
  return context.origins.Of(id).made_by == kSplitIciDcn || IsAcrossSlices(context, id, groups);
}

int64_t BytesOfBuffers(const Context& context, GroupsId groups, int64_t bytes) {
  return bytes * (context.groups.SizeOf(groups) + 4);
}

Combiner OfScatters(const Chip& chip) {
  constexpr int64_t kTileBytes = 4096;
  Combiner combiner = OfTpus("reduce-scatter-combiner", Opcode::kReduceScatter, nullptr, nullptr);
  combiner.max_bytes = TilesOfChunks(chip) * kTileBytes;
  combiner.weight = BytesOfBuffers;
  combiner.stays_alone = IsOfSlices;
  return combiner;
}

}  // namespace

absl::Status CombineTpuAllReduces(Context& context) { return Combine(context, kAllReduces); }
absl::Status CombineTpuReduceScatters(Context& context) {
  return Combine(context, OfScatters(*context.target.chip));
}

}  // namespace tessera::target
