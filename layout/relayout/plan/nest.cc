// Two loops are one if, on both sides, the outer stride is the inner stride times the inner extent.
// A loop whose stride is the size of an element on both sides makes a larger element. A pair of
// bf16 under (2,1) on both sides moves as 32 bits, a row of a tile as one run. Each rule removes a
// loop, so repeating them ends; there are rarely more than eight loops, so trying all pairs is
// cheap. Tested by nest_test.cc.

#include "tessera/layout/relayout/plan/nest.h"

#include <algorithm>
#include <tuple>

namespace tessera::layout::relayout {
namespace {

bool IsOuterOf(const Loop& outer, const Loop& inner) {
  return outer.src == inner.src * inner.extent && outer.dst == inner.dst * inner.extent;
}

// Merges one pair, if there is one.
bool MergeOnce(Loops* loops) {
  for (size_t outer = 0; outer < loops->size(); ++outer) {
    for (size_t inner = 0; inner < loops->size(); ++inner) {
      if (inner == outer || !IsOuterOf((*loops)[outer], (*loops)[inner])) continue;
      (*loops)[inner].extent *= (*loops)[outer].extent;
      loops->erase(loops->begin() + outer);
      return true;
    }
  }
  return false;
}

// Takes one loop over adjacent elements into the element, if there is one.
bool WidenOnce(Nest* nest) {
  if (nest->src_bits != nest->dst_bits) return false;
  for (auto loop = nest->loops.begin(); loop != nest->loops.end(); ++loop) {
    if (loop->src != nest->src_bits || loop->dst != nest->dst_bits) continue;
    nest->src_bits *= loop->extent;
    nest->dst_bits *= loop->extent;
    nest->loops.erase(loop);
    return true;
  }
  return false;
}

}  // namespace

void CleanUp(Nest* nest) {
  Loops& loops = nest->loops;
  const auto is_single = [](const Loop& loop) { return loop.extent == 1; };
  loops.erase(std::remove_if(loops.begin(), loops.end(), is_single), loops.end());
  while (MergeOnce(&loops) || WidenOnce(nest)) {
  }
  std::sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) {
    return std::tie(a.dst, a.src) > std::tie(b.dst, b.src);
  });
}

bool InWholeBytes(const Nest& nest) {
  int64_t all = nest.src | nest.dst | nest.src_bits | nest.dst_bits;
  for (const Loop& loop : nest.loops) all |= loop.src | loop.dst;
  return all % 8 == 0;
}

int64_t TripCount(const Loops& loops) {
  int64_t turns = 1;
  for (const Loop& loop : loops) turns *= loop.extent;
  return turns;
}

}  // namespace tessera::layout::relayout
