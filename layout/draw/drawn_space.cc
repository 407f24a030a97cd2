#include "tessera/layout/draw/drawn_space.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/text/status_macros.h"

namespace tessera::layout {
namespace {

// Splits an index into a level's padded space into tile numbers and places inside.
Sizes64 SplitPadded(const TileLevel& level, absl::Span<const int64_t> padded_index) {
  Sizes64 index(padded_index.begin(), padded_index.end());
  for (size_t i = 0; i < level.groups.size(); ++i) {
    const int64_t tile = level.groups[i].tile;
    index.push_back(index[level.lead + i] % tile);
    index[level.lead + i] /= tile;
  }
  return index;
}

// Tile entry of dimension `place` (counted from the minor side), or `size` if the tile ends before.
int64_t TileEntry(const Tiling& tiling, size_t place, int64_t size) {
  if (tiling.levels.empty() || place >= tiling.levels[0].groups.size()) return size;
  return tiling.levels[0].groups[tiling.levels[0].groups.size() - 1 - place].tile;
}

}  // namespace

absl::StatusOr<DrawnSpace> DrawnSpace::Create(const Shape& array) {
  TESSERA_ASSIGN_OR_RETURN(IndexMap map, IndexMap::Create(array));
  DrawnSpace space(std::move(map));
  space.SetSizes();
  return space;
}

void DrawnSpace::SetSizes() {
  const Tiling& tiling = map_.tiling();
  sizes_ = tiling.levels.empty() ? tiling.physical : tiling.levels[0].Padded();
  data_sizes_ = tiling.levels.empty() ? tiling.physical : tiling.levels[0].Combined();
  added_ = std::max<int64_t>(2 - static_cast<int64_t>(sizes_.size()), 0);
  sizes_.insert(sizes_.begin(), added_, 1);
  data_sizes_.insert(data_sizes_.begin(), added_, 1);
  if (!ProductFits(absl::MakeSpan(sizes_).subspan(0, sizes_.size() - 2), &slices_)) {
    slices_ = std::numeric_limits<int64_t>::max();
  }
  tile_rows_ = TileEntry(tiling, 1, rows());
  tile_columns_ = TileEntry(tiling, 0, columns());
}

std::string DrawnSpace::SliceName(int64_t slice) const {
  const absl::Span<const int64_t> lead(sizes_.data(), sizes_.size() - 2);
  if (lead.empty()) return "";
  Sizes64 index(lead.size());
  Delinearize(slice, lead, absl::MakeSpan(index));
  return absl::StrCat("physical [", absl::StrJoin(index, ","), ",*,*]");
}

DrawnSpace::Cell DrawnSpace::CellAt(int64_t slice, int64_t row, int64_t column) const {
  Sizes64 index(sizes_.size());
  Delinearize(slice, absl::MakeSpan(sizes_).subspan(0, sizes_.size() - 2),
              absl::MakeSpan(index).subspan(0, sizes_.size() - 2));
  index[index.size() - 2] = row;
  index.back() = column;
  Cell cell;
  for (size_t i = 0; i < index.size(); ++i) cell.padding |= index[i] >= data_sizes_[i];
  index.erase(index.begin(), index.begin() + added_);
  const Tiling& tiling = map_.tiling();
  for (size_t k = 0; k < tiling.levels.size(); ++k) {
    if (k == 0) {
      index = SplitPadded(tiling.levels[0], index);
    } else {
      EnterTile(tiling.levels[k], &index);
    }
    cell.after_level.push_back(index);
  }
  cell.offset = Linearize(index, tiling.final_sizes());
  return cell;
}

int64_t TileNumber(const TileLevel& level, absl::Span<const int64_t> index) {
  const size_t counts = level.lead + level.groups.size();
  return Linearize(index.subspan(0, counts), absl::MakeSpan(level.output).subspan(0, counts));
}

}  // namespace tessera::layout
