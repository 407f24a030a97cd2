// all-reduce-combiner, reduce-scatter-combiner: sums over the same devices become one of several
// arrays. All-gathers, permutes and all-to-alls stay alone.
//
//   a = f32[8] all-reduce(x), b = f32[4] all-reduce(y)   ->  c = (f32[8], f32[4]) all-reduce(x, y)
//
// All-reduces: up to the limits of xla_flags.h. Reduce-scatters over n devices: a device keeps n + 4 buffers of its parts
// in the memory that TilesOfChunks() counts. On two-dimensional slices whose shorter side is 4 they all stay alone: the
// combiner's log shows none on 4x4 and 4x8, but those on 2x2, 2x4, 8x8, 8x16 and 16x16. Which of them become one:
// combine/height_groups.h.
// Sums are counted as they were before they were narrowed: f32 and bf16 may stand in one.
// Those of several slices are combined first, and become sums of one slice and sums between slices later
// (multislice/cross_slice_rewrites.cc): by the same rule in front of fusion, up to 256 KiB, row-major with tiles. A sum of
// parts that devices take of a sum stays alone, as split-ici-dcn makes it, and so does a reduce-scatter between slices.
// Limits of reduce-scatters were found from outside.

#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/target/passes/collective_combiners.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/tpu/multislice/slice_collectives.h"
#include "tessera/target/tpu/scattered_part.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

constexpr int64_t kMaxBytesOfSlices = 256 << 10;
constexpr size_t kMaxArrays = 256;
constexpr int64_t kTileBytes = 4096;
constexpr int64_t kSideThatCombinesNone = 4;

// Of one device of each slice.
bool IsAcrossSlices(const Context& context, InstructionId, GroupsId groups) {
  const auto split = SliceGroupsOf(context, groups);
  return split.has_value() && split->devices_inside() == 1;
}

constexpr Combiner OfTpus(absl::string_view name, Opcode opcode, int64_t XlaFlags::*threshold,
                          int64_t XlaFlags::*most) {
  Combiner combiner = {name, opcode, threshold, nullptr, 0, kMaxArrays, most};
  combiner.by_height = true;
  combiner.narrowed_by = "narrow-collectives";
  combiner.stays_alone = IsAcrossSlices;
  return combiner;
}

// Of one slice; or of a part that a device takes of a sum in its slice.
bool IsNoCrossSliceSum(const Context& context, InstructionId id, GroupsId groups) {
  const DeviceProgram& program = context.program;
  const Opcode operand = program.opcode(program.operand(id, 0));
  return operand == Opcode::kReduceScatter || operand == Opcode::kDynamicSlice ||
         !SliceGroupsOf(context, groups).has_value();
}

// Row-major, in tiles of 8 x 128 elements; a vector in as many elements.
int64_t TiledBytes(const Context&, GroupsId, const layout::Shape& array) {
  std::vector<int64_t> sizes(array.dims().begin(), array.dims().end());
  if (sizes.size() < 2) sizes = {CeilDiv(*array.NumElements(), kTileColumns), kTileColumns};
  sizes.back() = RoundUp(sizes.back(), kTileColumns);
  sizes[sizes.size() - 2] = RoundUp(sizes[sizes.size() - 2], kTileRows);
  return layout::DataBytes(Resized(array, sizes));
}

constexpr Combiner kAllReduces = OfTpus("all-reduce-combiner", Opcode::kAllReduce,
                                        &XlaFlags::tpu_all_reduce_combine_threshold_bytes,
                                        &XlaFlags::tpu_all_reduce_combine_threshold_count);

Combiner OfSlices() {
  Combiner combiner = kAllReduces;
  combiner.max_bytes_flag = nullptr;
  combiner.max_bytes = kMaxBytesOfSlices;
  combiner.order = CombinerOrder::kOfInstructions;
  combiner.weight = TiledBytes;
  combiner.stays_alone = IsNoCrossSliceSum;
  return combiner;
}

// Those that are no fusion of a sum and a slice, or of one device of each slice.
bool IsOfSlices(const Context& context, InstructionId id, GroupsId groups) {
  return context.origins.Of(id).made_by == kSplitIciDcn || IsAcrossSlices(context, id, groups);
}

// Parts of few columns have them in whole tiles, as the cut dimension is rows (scattered_part.cc).
int64_t BytesOfBuffers(const Context& context, GroupsId groups, const layout::Shape& array) {
  const bool is_narrow = array.rank() == 2 && array.dim(1) < kTileRows;
  const int64_t bytes = is_narrow ? TiledBytes(context, groups, array) : layout::DataBytes(array);
  return bytes * (context.groups.SizeOf(groups) + 4);
}

Combiner OfScatters(const Chip& chip) {
  Combiner combiner = OfTpus("reduce-scatter-combiner", Opcode::kReduceScatter, nullptr, nullptr);
  combiner.max_bytes = TilesOfChunks(chip) * kTileBytes;
  combiner.weight = BytesOfBuffers;
  combiner.stays_alone = IsOfSlices;
  return combiner;
}

}  // namespace

absl::Status CombineCrossSliceSums(Context& context) {
  return context.target.slices == 1 ? absl::OkStatus() : Combine(context, OfSlices());
}
absl::Status CombineTpuAllReduces(Context& context) { return Combine(context, kAllReduces); }
absl::Status CombineTpuReduceScatters(Context& context) {
  const std::vector<int64_t>& sides = context.target.topology;
  if (sides.size() == 2 && *absl::c_min_element(sides) == kSideThatCombinesNone)
    return absl::OkStatus();
  return Combine(context, OfScatters(*context.target.chip));
}

}  // namespace tessera::target
