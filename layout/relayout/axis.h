// One side of a block that is transposed: loops that together run over adjacent elements.
//
//   f32 T(8,128) read along a row: 128 columns are adjacent, the next 128 are a tile away. As an
//   axis of the source: 128 elements, each with the place that it has in the destination.

#ifndef TESSERA_LAYOUT_RELAYOUT_AXIS_H_
#define TESSERA_LAYOUT_RELAYOUT_AXIS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/layout/relayout/nest.h"

namespace tessera::layout::relayout {

enum class Side : uint8_t { kSrc, kDst };

struct Axis {
  // Where element i of a block lies on the side where the axis is not contiguous, from its first.
  std::vector<int64_t> places;
  int64_t lower = 1;  // elements in one turn of the split loop
  Loop top;           // the split loop; blocks take `turns` of it at a time
  int64_t turns = 1;

  int64_t Count(int64_t from) const { return lower * std::min(turns, top.extent - from); }
};

// How long an axis may be.
struct Block {
  int64_t most;  // elements
  int64_t
      line;  // of which so many fill a cache line: what is split is split at lines, if it can be
};

// Takes loops that are adjacent on `side`, the first with stride `step`, out of `loops`: as many as
// fill a line, the last one split if it is longer than the block. Loop `kept` is not taken.
Axis TakeAxis(int64_t step, Side side, const Block& block, const Loop& kept, Loops* loops);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_AXIS_H_
