// One side of a block that is transposed: loops that together run over adjacent elements.
//
//   f32 T(8,128) read along a row: 128 columns are adjacent, the next 128 are a tile away. As an
//   axis of the source: 128 elements, each with the place that it has in the destination.

#ifndef TESSERA_LAYOUT_RELAYOUT_KERNELS_AXIS_H_
#define TESSERA_LAYOUT_RELAYOUT_KERNELS_AXIS_H_

#include <algorithm>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "tessera/layout/relayout/plan/nest.h"

namespace tessera::layout::relayout {

enum class Side : uint8_t { kSrc, kDst };

inline constexpr int64_t kMaxPlaces = 256;  // elements of an axis in one block

struct Axis {
  // One of the loops in a block: how often, and how far apart on the side where the axis is not
  // contiguous. The innermost first.
  struct Turn {
    int64_t count;
    int64_t stride;
  };
  absl::InlinedVector<Turn, 4> loops;
  int64_t lower = 1;  // elements in one turn of the split loop
  Loop top;           // the split loop; blocks take `turns` of it at a time
  int64_t turns = 1;

  int64_t count() const { return lower * turns; }
  // Elements in the block that begins at turn `from`.
  int64_t Count(int64_t from) const { return lower * std::min(turns, top.extent - from); }
  // Where the elements of a block lie on the other side, from its first: count() numbers.
  void SetPlaces(int64_t* places) const;
};

// How long an axis may be: `most` elements, at most kMaxPlaces; `line` of them fill a cache line.
// A split axis is split at lines, if it can be, and then has one line at least.
struct Block {
  int64_t most;
  int64_t line;
};

// Takes loops that are adjacent on `side`, the first with stride `step`, out of `loops`: as many as
// fill a line, the last one split if it is longer than the block. Loop `kept` is not taken.
Axis TakeAxis(int64_t step, Side side, const Block& block, const Loop& kept, Loops* loops);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_KERNELS_AXIS_H_
