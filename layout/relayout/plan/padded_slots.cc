// Later tiles may only rearrange what lies inside a tile of the first level. Then each such tile is
// one range of memory, and the tiles stand in row-major order. The last tile of a direction is
// ragged if its entry does not divide the size; everything more minor belongs to it. Tested by
// padded_slots_test.cc, and with the engine by small_pairs_test.cc.

#include "tessera/layout/relayout/plan/padded_slots.h"

namespace tessera::layout::relayout {
namespace {

// True if the levels after the first one neither leave its tiles nor pad inside them.
bool TilesAreContiguous(const Tiling& tiling) {
  size_t inside = tiling.levels[0].groups.size();  // final dimensions within a tile
  for (size_t i = 1; i < tiling.levels.size(); ++i) {
    const TileLevel& level = tiling.levels[i];
    const size_t covered = level.input.size() - level.lead;
    if (level.prepended > 0 || covered > inside) return false;
    for (const TileGroup& group : level.groups) {
      if (group.padded() != group.size) return false;
    }
    inside += 2 * level.groups.size() - covered;
  }
  return true;
}

int64_t SlotsOfTile(const TileLevel& level) {
  int64_t slots = 1;
  for (const TileGroup& group : level.groups) slots *= group.tile;
  return slots;
}

}  // namespace

PaddedSlots PaddedSlots::Of(const Tiling& tiling, int64_t total, int64_t bits) {
  PaddedSlots padded;
  padded.total_ = total;
  padded.tail_ = tiling.elements;
  if (tiling.levels.empty() || tiling.elements == 0) return padded;
  const TileLevel& level = tiling.levels[0];
  int64_t slots = SlotsOfTile(level);
  if (!TilesAreContiguous(tiling) || slots * bits % 8 != 0) {
    padded.tail_ = 0;
    return padded;
  }
  bool ragged = false;
  for (size_t i = level.groups.size(); i-- > 0;) {
    const TileGroup& group = level.groups[i];
    padded.directions_.push_back({group.tiles(), slots, group.padded() != group.size, ragged});
    ragged = ragged || group.padded() != group.size;
    slots *= group.tiles();
  }
  std::reverse(padded.directions_.begin(), padded.directions_.end());
  padded.repeat_slots_ = slots;
  padded.repeats_ = ragged ? tiling.elements / slots : 0;
  return padded;
}

int64_t PaddedSlots::slots() const {
  int64_t sum = 0;
  ForEach(0, total_, [&](int64_t begin, int64_t end) { sum += end - begin; });
  return sum;
}

}  // namespace tessera::layout::relayout
