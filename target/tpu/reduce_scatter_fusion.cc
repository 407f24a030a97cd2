// tpu-all-reduce-scatter-fusion: where each device keeps only its part of a sum, only that part is
// sent to it.
//
//   a = bf16[64,4096] all-reduce(x), groups {0..7}
//   d = bf16[8,4096] dynamic-slice(a, partition * 8, 0)
//   ->  d = bf16[8,4096] reduce-scatter(x), groups {0..7}, dimensions={0}
//
// In the final module the two stand in one fusion. Conditions, found from outside:
//   - the dimension is cut into as many parts as a group has devices, without a rest;
//   - the array has two dimensions or more;
//   - the group is not the whole machine, where that is a mesh with both sides of 4 or more, or a
//     torus of three dimensions;
//   - tiles of 8 x 128 fit: a part is whole tiles, and what pads the other dimension is at most 5 %.
//     The last dimension may be moved to the front; then the one before it is the last. Where it stays
//     in an array of three dimensions or more, the one before it is not padded.

#include "absl/algorithm/container.h"
#include "tessera/target/passes/scatter_sums.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

constexpr int64_t kSublanes = 8, kLanes = 128;  // of a tile
constexpr int64_t kPaddingShare = 20;           // at most one in so many

bool IsWholeTorus(const Target& target, int64_t group) {
  if (group != target.num_devices()) return false;
  const auto sides = absl::c_count_if(target.topology, [](int64_t side) { return side > 1; });
  return sides > 2 || absl::c_all_of(target.topology, [](int64_t side) { return side >= 4; });
}

bool FillsTiles(int64_t size, int64_t tile) {
  const int64_t padding = (tile - size % tile) % tile;
  return padding <= size / kPaddingShare;
}

// Of an array of two dimensions or more.
bool FitsTiles(const layout::Shape& whole, const Split& split) {
  const int64_t last = whole.rank() - 1;
  if (split.dimension_of_sum == last - 1) return split.part_size % kSublanes == 0;
  if (split.dimension_of_sum != last) return split.dimension_of_sum == 0;
  const int64_t other = whole.dim(last - 1);
  const bool fits_moved = split.part_size % kSublanes == 0 && FillsTiles(other, kLanes);
  const bool fits_rows = whole.rank() > 2 ? other % kSublanes == 0 : FillsTiles(other, kSublanes);
  return fits_moved || (split.part_size % kLanes == 0 && fits_rows);
}

}  // namespace

absl::Status FuseSumsWithSlices(Context& context) {
  if (!context.flags.tpu_all_reduce_scatter_fusion) return absl::OkStatus();
  return ScatterSums(context, "tpu-all-reduce-scatter-fusion", [&](const SplitSum& sum) {
    const layout::Shape& whole = context.program.shape(sum.all_reduce);
    const Split& split = sum.split;
    return whole.rank() >= 2 &&
           whole.dim(split.dimension_of_sum) == split.parts * split.part_size &&
           !IsWholeTorus(context.target, split.parts) && FitsTiles(whole, split);
  });
}

}  // namespace tessera::target
