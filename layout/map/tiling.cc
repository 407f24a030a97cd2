#include "tessera/layout/tiling.h"

#include <algorithm>
#include <utility>

#include "tessera/layout/error.h"
#include "tessera/text/checked.h"

namespace tessera::layout {
namespace {

absl::Status TilingOverflow() {
  return MakeError("V_PADDED_OVERFLOW", "the padded array does not fit 64-bit sizes");
}

// Cuts the end of level.input into groups, one for each entry of the tile that is no star.
bool MakeGroups(const Tile& tile, TileLevel* level) {
  TileGroup open{level->lead, 0};
  for (int64_t entry : tile.dims) {
    ++open.count;
    if (entry == Tile::kCombine) continue;
    open.tile = entry;
    const absl::Span<const int64_t> sizes(level->input.data() + open.first, open.count);
    int64_t padded = 0;
    if (!ProductFits(sizes, &open.size)) return false;
    if (!MultiplyFits(open.tiles(), entry, &padded)) return false;
    level->groups.push_back(open);
    open = TileGroup{open.first + open.count, 0};
  }
  return true;
}

void MakeOutput(TileLevel* level) {
  level->output.assign(level->input.begin(), level->input.begin() + level->lead);
  for (const TileGroup& group : level->groups) level->output.push_back(group.tiles());
  for (const TileGroup& group : level->groups) level->output.push_back(group.tile);
}

absl::StatusOr<TileLevel> ApplyTile(const Sizes64& sizes, const Tile& tile) {
  const int64_t rank = static_cast<int64_t>(sizes.size());
  const int64_t tile_rank = static_cast<int64_t>(tile.dims.size());
  TileLevel level;
  level.prepended = std::max<int64_t>(tile_rank - rank, 0);
  level.input.assign(level.prepended, 1);
  level.input.insert(level.input.end(), sizes.begin(), sizes.end());
  level.lead = rank + level.prepended - tile_rank;
  if (!MakeGroups(tile, &level)) return TilingOverflow();
  MakeOutput(&level);
  return level;
}

Sizes64 LeadSizes(const TileLevel& level) {
  return Sizes64(level.input.begin(), level.input.begin() + level.lead);
}

}  // namespace

Sizes64 TileLevel::Combined() const {
  Sizes64 sizes = LeadSizes(*this);
  for (const TileGroup& group : groups) sizes.push_back(group.size);
  return sizes;
}

Sizes64 TileLevel::Padded() const {
  Sizes64 sizes = LeadSizes(*this);
  for (const TileGroup& group : groups) sizes.push_back(group.padded());
  return sizes;
}

bool ProductFits(absl::Span<const int64_t> sizes, int64_t* product) {
  *product = 1;
  bool fits = true;
  for (int64_t size : sizes) {
    if (size == 0) return *product = 0, true;
    fits = fits && MultiplyFits(*product, size, product);
  }
  return fits;
}

absl::StatusOr<Tiling> ApplyTiles(absl::Span<const int64_t> physical,
                                  absl::Span<const Tile> tiles) {
  Tiling tiling;
  tiling.physical.assign(physical.begin(), physical.end());
  for (const Tile& tile : tiles) {
    absl::StatusOr<TileLevel> level = ApplyTile(tiling.final_sizes(), tile);
    if (!level.ok()) return level.status();
    tiling.levels.push_back(*std::move(level));
  }
  if (!ProductFits(tiling.final_sizes(), &tiling.elements)) return TilingOverflow();
  return tiling;
}

}  // namespace tessera::layout
