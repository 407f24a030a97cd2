#include "tessera/layout/relayout/kernels/axis.h"

#include <numeric>

namespace tessera::layout::relayout {
namespace {

int64_t StrideOn(Side side, const Loop& loop) { return side == Side::kSrc ? loop.src : loop.dst; }

// How many of `extent` turns, of `lower` elements each, are done at a time.
int64_t TurnsOf(int64_t extent, int64_t lower, const Block& block) {
  const int64_t room = block.most / lower;
  if (extent <= room) return extent;
  const int64_t whole = block.line / std::gcd(block.line, lower);
  if (room >= whole) return room - room % whole;
  return lower * whole <= kMaxPlaces ? std::min(whole, extent) : room;
}

}  // namespace

void Axis::SetPlaces(int64_t* places) const {
  places[0] = 0;
  int64_t inner = 1;
  for (const Turn& loop : loops) {
    for (int64_t i = inner; i < inner * loop.count; ++i) {
      places[i] = places[i - inner] + loop.stride;
    }
    inner *= loop.count;
  }
}

Axis TakeAxis(int64_t step, Side side, const Block& block, const Loop& kept, Loops* loops) {
  const Side other = side == Side::kSrc ? Side::kDst : Side::kSrc;
  Axis axis;
  for (;;) {
    const int64_t elements = axis.count();
    const auto next = std::find_if(loops->begin(), loops->end(), [&](const Loop& loop) {
      return StrideOn(side, loop) == step * elements && !(loop == kept);
    });
    if (next == loops->end() || elements >= block.line || 2 * elements > block.most) return axis;
    axis.lower *= axis.turns;
    axis.top = *next;
    axis.turns = TurnsOf(axis.top.extent, axis.lower, block);
    loops->erase(next);
    axis.loops.push_back({axis.turns, StrideOn(other, axis.top)});
    if (axis.turns < axis.top.extent) return axis;
  }
}

}  // namespace tessera::layout::relayout
