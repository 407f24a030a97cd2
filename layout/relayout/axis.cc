#include "tessera/layout/relayout/axis.h"

#include <numeric>

namespace tessera::layout::relayout {
namespace {

int64_t StrideOn(Side side, const Loop& loop) { return side == Side::kSrc ? loop.src : loop.dst; }

// The places of one more loop around the ones that are there.
void Repeat(int64_t turns, int64_t stride, std::vector<int64_t>* places) {
  const size_t inner = places->size();
  places->reserve(inner * turns);
  for (int64_t turn = 1; turn < turns; ++turn) {
    for (size_t i = 0; i < inner; ++i) places->push_back((*places)[i] + turn * stride);
  }
}

// How many of `extent` turns, of `lower` elements each, are done at a time.
int64_t TurnsOf(int64_t extent, int64_t lower, const Block& block) {
  const int64_t room = block.most / lower;
  if (extent <= room) return extent;
  const int64_t whole = block.line / std::gcd(block.line, lower);
  return room < whole ? room : room - room % whole;
}

}  // namespace

Axis TakeAxis(int64_t step, Side side, const Block& block, const Loop& kept, Loops* loops) {
  const Side other = side == Side::kSrc ? Side::kDst : Side::kSrc;
  Axis axis;
  axis.places = {0};
  for (;;) {
    const int64_t elements = axis.lower * axis.turns;
    const auto next = std::find_if(loops->begin(), loops->end(), [&](const Loop& loop) {
      return StrideOn(side, loop) == step * elements && !(loop == kept);
    });
    if (next == loops->end() || elements >= block.line || 2 * elements > block.most) return axis;
    axis.lower *= axis.turns;
    axis.top = *next;
    axis.turns = TurnsOf(axis.top.extent, axis.lower, block);
    loops->erase(next);
    Repeat(axis.turns, StrideOn(other, axis.top), &axis.places);
    if (axis.turns < axis.top.extent) return axis;
  }
}

}  // namespace tessera::layout::relayout
