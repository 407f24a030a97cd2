// Walks over the array in the physical order of the destination. Along its most minor dimension
// both offsets grow evenly up to the next border of a tile, on either side and at any level:
//
//   dimension d moves coordinate c of a level. If c is cut by t, the part inside the tile moves for
//   t - (c mod t) steps (if t is 1, the number of the tile moves instead, without a border).
//   If c is the minor member of dimensions that a star combines, the combined index is what is cut,
//   and the run also ends where c does. A major member jumps by the product of the others: then
//   runs have one element.
//
// So each step asks both index maps once and copies a run. Cost: two index maps a run. Tested
// against arrays that are really padded and permuted by plan_test.cc and relayout_fuzz.cc.

#include "tessera/layout/relayout/run/walker.h"

#include <algorithm>

#include "tessera/layout/relayout/kernels/bits.h"
#include "tessera/layout/relayout/plan/nest.h"

namespace tessera::layout::relayout {
namespace {

// The place of the group of `level` that holds coordinate `at` of its input; -1 if none does.
int64_t GroupOf(const TileLevel& level, int64_t at) {
  for (size_t i = 0; i < level.groups.size(); ++i) {
    const TileGroup& group = level.groups[i];
    if (at >= group.first && at < group.first + group.count) return static_cast<int64_t>(i);
  }
  return -1;
}

// Narrows `run` by the borders of one level and moves `*at` from its input to its output. False if
// the coordinate does not move by ones after this level.
bool PassLevel(const TileLevel& level, absl::Span<const int64_t> index, int64_t* at, int64_t* run) {
  *at += level.prepended;
  const int64_t place = GroupOf(level, *at);
  if (place < 0) return true;
  const TileGroup& group = level.groups[place];
  if (*at != group.first + group.count - 1) return false;
  const bool inside = group.tile > 1;
  *at = level.lead + place + (inside ? static_cast<int64_t>(level.groups.size()) : 0);
  if (inside) *run = std::min(*run, group.tile - index[*at]);
  return true;
}

void CopyElements(const Loop& steps, const uint8_t* src, int64_t from, int64_t src_bits,
                  uint8_t* dst, int64_t to, int64_t dst_bits) {
  const int64_t kept = std::min(src_bits, dst_bits);
  for (int64_t i = 0; i < steps.extent; ++i) {
    CopyBits(src, from + i * steps.src, dst, to + i * steps.dst, kept);
    ClearBits(dst, to + i * steps.dst + kept, dst_bits - kept);
  }
}

}  // namespace

int64_t WalkedSide::EvenRun(absl::Span<const int64_t> index, int64_t dim) const {
  int64_t at = std::find(order.begin(), order.end(), dim) - order.begin();
  int64_t run = map.dims()[dim] - index[dim];
  Sizes64 physical(order.size());
  for (size_t i = 0; i < order.size(); ++i) physical[i] = index[order[i]];
  for (const TileLevel& level : map.tiling().levels) {
    EnterTile(level, &physical);
    if (!PassLevel(level, physical, &at, &run)) return 1;
  }
  return run;
}

void Walker::Run(const uint8_t* src, uint8_t* dst) const {
  Sizes64 at(dst_.order.size(), 0);  // physical, in the destination
  Sizes64 sizes(at.size()), src_index(at.size()), dst_index(at.size());
  for (size_t i = 0; i < at.size(); ++i) sizes[i] = dst_.map.dims()[dst_.order[i]];
  const int64_t minor = dst_.order.back();
  const auto src_at = [&](int64_t step) {
    src_index[perm_[minor]] += step;
    return src_.map.OffsetOf(src_index) * src_.bits;
  };
  const auto dst_at = [&](int64_t step) {
    dst_index[minor] += step;
    return dst_.map.OffsetOf(dst_index) * dst_.bits;
  };
  do {
    for (size_t i = 0; i < at.size(); ++i) dst_index[dst_.order[i]] = at[i];
    for (size_t i = 0; i < at.size(); ++i) src_index[perm_[i]] = dst_index[i];
    const int64_t run =
        std::min(src_.EvenRun(src_index, perm_[minor]), dst_.EvenRun(dst_index, minor));
    const int64_t from = src_at(0), to = dst_at(0);
    Loop steps{run, 0, 0};
    if (run > 1) steps = {run, src_at(1) - from, dst_at(1) - to};
    CopyElements(steps, src, from, src_.bits, dst, to, dst_.bits);
    at.back() += run - 1;
  } while (NextIndex(sizes, absl::MakeSpan(at)));
}

}  // namespace tessera::layout::relayout
