// The map from an index to its place in memory, one tile level at a time.
//
// A level turns an index into (.., which tile, .., where in the tile). For f32[3,5]{1,0:T(2,2)}:
//
//   (2,3)  --by (2,2)-->  tile (1,1), inside (0,1)  =  (1,1,0,1) in sizes [2,3,2,2]
//          --row-major->  ((1*3 + 1)*2 + 0)*2 + 1   =  17
//
// Dimensions that a star combines first become one: their index is row-major over the sizes that
// this level sees. Later levels work on the dimensions that earlier ones made. So a tile may
// regroup the inside of a tile, or reach over to the numbers of tiles.
//
// The way back divides where the way there multiplied. At every level it asks whether the value
// still lies inside the unpadded size. A slot that is padding for the second tile need not look
// like padding to the first one.
//
// Tested against arrays that are really padded and permuted (slow_map.h) by index_map_test.cc,
// exhaustively for small shapes, and by index_map_fuzz.cc.

#include "tessera/layout/index_map.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/error.h"
#include "tessera/layout/validate.h"
#include "tessera/text/status_macros.h"

namespace tessera::layout {

int64_t Linearize(absl::Span<const int64_t> index, absl::Span<const int64_t> sizes) {
  int64_t offset = 0;
  for (size_t i = 0; i < sizes.size(); ++i) offset = offset * sizes[i] + index[i];
  return offset;
}

void Delinearize(int64_t offset, absl::Span<const int64_t> sizes, absl::Span<int64_t> index) {
  for (size_t i = sizes.size(); i-- > 0;) {
    index[i] = offset % sizes[i];
    offset /= sizes[i];
  }
}

bool NextIndex(absl::Span<const int64_t> sizes, absl::Span<int64_t> index) {
  for (size_t i = sizes.size(); i-- > 0;) {
    if (++index[i] < sizes[i]) return true;
    index[i] = 0;
  }
  return false;
}

void EnterTile(const TileLevel& level, Sizes64* index) {
  index->insert(index->begin(), level.prepended, 0);
  Sizes64 inside;
  for (size_t i = 0; i < level.groups.size(); ++i) {
    const TileGroup& group = level.groups[i];
    const int64_t at = Linearize(absl::MakeSpan(*index).subspan(group.first, group.count),
                                 absl::MakeSpan(level.input).subspan(group.first, group.count));
    (*index)[level.lead + i] = at / group.tile;
    inside.push_back(at % group.tile);
  }
  index->resize(level.lead + level.groups.size());
  index->insert(index->end(), inside.begin(), inside.end());
}

bool LeaveTile(const TileLevel& level, Sizes64* index) {
  const size_t groups = level.groups.size();
  Sizes64 input(level.input.size());
  std::copy_n(index->begin(), level.lead, input.begin());
  for (size_t i = 0; i < groups; ++i) {
    const TileGroup& group = level.groups[i];
    const int64_t at = (*index)[level.lead + i] * group.tile + (*index)[level.lead + groups + i];
    if (at >= group.size) return false;
    Delinearize(at, absl::MakeSpan(level.input).subspan(group.first, group.count),
                absl::MakeSpan(input).subspan(group.first, group.count));
  }
  index->assign(input.begin() + level.prepended, input.end());
  return true;
}

absl::StatusOr<IndexMap> IndexMap::Create(const Shape& shape) {
  IndexMap map;
  TESSERA_ASSIGN_OR_RETURN(map.tiling_, TilingOf(shape));
  const Shape& array = shape.array();
  const Layout layout = array.has_layout() ? array.layout() : Layout::Descending(array.rank());
  map.dims_.assign(array.dims().begin(), array.dims().end());
  map.major_to_minor_.assign(layout.minor_to_major.rbegin(), layout.minor_to_major.rend());
  const int64_t tail = layout.tail_alignment;
  map.total_ = (map.tiling_.elements / tail + (map.tiling_.elements % tail != 0)) * tail;
  return map;
}

absl::StatusOr<int64_t> IndexMap::Offset(absl::Span<const int64_t> index) const {
  if (index.size() != dims_.size()) {
    return MakeError("kRange", absl::StrCat("the index has ", index.size(),
                                            " entries, the shape has ", dims_.size()));
  }
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (index[i] >= 0 && index[i] < dims_[i]) continue;
    return MakeError(
        "kRange", absl::StrCat("index (", absl::StrJoin(index, ","), ") lies outside the sizes [",
                               absl::StrJoin(dims_, ","), "]"));
  }
  return OffsetOf(index);
}

absl::StatusOr<std::optional<IndexMap::Index64>> IndexMap::IndexAt(int64_t offset) const {
  if (offset < 0 || offset >= total_) {
    return MakeError("kRange", absl::StrCat("offset ", offset, " lies outside the ", total_,
                                            " slots of the array"));
  }
  return IndexOf(offset);
}

int64_t IndexMap::OffsetOf(absl::Span<const int64_t> index) const {
  Sizes64 at(index.size());
  for (size_t i = 0; i < at.size(); ++i) at[i] = index[major_to_minor_[i]];
  for (const TileLevel& level : tiling_.levels) EnterTile(level, &at);
  return Linearize(at, tiling_.final_sizes());
}

std::optional<IndexMap::Index64> IndexMap::IndexOf(int64_t offset) const {
  if (offset >= tiling_.elements) return std::nullopt;
  Sizes64 at(tiling_.final_sizes().size());
  Delinearize(offset, tiling_.final_sizes(), absl::MakeSpan(at));
  for (auto level = tiling_.levels.rbegin(); level != tiling_.levels.rend(); ++level) {
    if (!LeaveTile(*level, &at)) return std::nullopt;
  }
  Index64 index(dims_.size());
  for (size_t i = 0; i < index.size(); ++i) index[major_to_minor_[i]] = at[i];
  return index;
}

}  // namespace tessera::layout
