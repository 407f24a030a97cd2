#include "tessera/layout/draw.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/draw/drawn_space.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/text/status_macros.h"

namespace tessera::layout {
namespace {

constexpr int64_t kMaxSlots = int64_t{1} << 16;  // of DrawMemory

std::string List(absl::Span<const int64_t> sizes) {
  return absl::StrCat("[", absl::StrJoin(sizes, ","), "]");
}

void AppendHead(const Shape& array, const Tiling& tiling, const MemorySizes& sizes,
                std::string* out) {
  const int64_t padding = sizes.padded_bytes - sizes.data_bytes;
  const double percent =
      sizes.padded_bytes == 0 ? 0 : 100.0 * padding / static_cast<double>(sizes.padded_bytes);
  absl::StrAppendFormat(out, "%s\ndata %d B, padded %d B, waste %.1f %%\n", ShapeToString(array),
                        sizes.data_bytes, sizes.padded_bytes, percent);
  for (size_t i = 0; i < tiling.levels.size(); ++i) {
    const TileLevel& level = tiling.levels[i];
    absl::StrAppend(out, "T", array.layout().tiles[i].ToString(), ": ", List(level.Combined()),
                    " pad ", List(level.Padded()), " -> ", List(level.output), "\n");
  }
}

// One slice of the space as a grid, at most kMaxRows by kMaxColumns.
class GridDrawer {
 public:
  GridDrawer(const DrawnSpace& space, std::string* out)
      : space_(space),
        rows_(std::min(space.rows(), DrawnSpace::kMaxRows)),
        columns_(std::min(space.columns(), DrawnSpace::kMaxColumns)),
        width_(absl::StrCat(space.map().total() - 1).size()),
        out_(out) {}

  void Draw(int64_t slice) {
    for (int64_t row = 0; row < rows_; ++row) {
      if (row % space_.tile_rows() == 0) DrawBorder();
      DrawRow(slice, row);
    }
    DrawBorder();
    AppendMore(space_.rows() - rows_, "rows");
    AppendMore(space_.columns() - columns_, "columns");
  }

 private:
  void DrawBorder() {
    for (int64_t column = 0; column < columns_; column += space_.tile_columns()) {
      const int64_t cells = std::min(space_.tile_columns(), columns_ - column);
      absl::StrAppend(out_, "+", std::string(cells * (width_ + 1) + 1, '-'));
    }
    out_->append("+\n");
  }

  void DrawRow(int64_t slice, int64_t row) {
    for (int64_t column = 0; column < columns_; ++column) {
      if (column % space_.tile_columns() == 0) out_->append(column == 0 ? "|" : " |");
      const DrawnSpace::Cell cell = space_.CellAt(slice, row, column);
      const std::string text = cell.padding ? "." : absl::StrCat(cell.offset);
      absl::StrAppend(out_, " ", std::string(width_ - text.size(), ' '), text);
    }
    out_->append(" |\n");
  }

  void AppendMore(int64_t count, absl::string_view what) {
    if (count > 0) absl::StrAppend(out_, "... ", count, " more ", what, "\n");
  }

  const DrawnSpace& space_;
  const int64_t rows_;
  const int64_t columns_;
  const size_t width_;
  std::string* out_;
};

void AppendGrids(const DrawnSpace& space, std::string* out) {
  if (space.empty()) {
    out->append("(empty)\n");
    return;
  }
  GridDrawer drawer(space, out);
  const int64_t slices = std::min(space.slices(), DrawnSpace::kMaxSlices);
  for (int64_t slice = 0; slice < slices; ++slice) {
    const std::string name = space.SliceName(slice);
    if (!name.empty()) absl::StrAppend(out, name, "\n");
    drawer.Draw(slice);
  }
  if (slices < space.slices()) {
    absl::StrAppend(out, "... ", space.slices() - slices, " more slices\n");
  }
}

absl::Status AppendArray(const Shape& array, std::string* out) {
  TESSERA_ASSIGN_OR_RETURN(const MemorySizes sizes, SizesOf(array));
  TESSERA_ASSIGN_OR_RETURN(const DrawnSpace space, DrawnSpace::Create(array));
  AppendHead(array, space.map().tiling(), sizes, out);
  AppendGrids(space, out);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> Draw(const Shape& shape) {
  std::string out;
  absl::Status status;
  ForEachLeaf(shape, [&](const Shape& leaf) {
    if (!status.ok() || (!leaf.array().is_array() && shape.is_tuple())) return;
    if (!out.empty()) out.push_back('\n');
    status = AppendArray(leaf.array(), &out);
  });
  if (!status.ok()) return status;
  return out;
}

absl::StatusOr<std::string> DrawMemory(const Shape& array) {
  TESSERA_ASSIGN_OR_RETURN(const IndexMap map, IndexMap::Create(array));
  std::string out;
  const int64_t drawn = std::min(map.total(), kMaxSlots);
  for (int64_t offset = 0; offset < drawn; ++offset) {
    if (offset > 0) out.push_back(' ');
    const auto index = map.IndexOf(offset);
    if (!index.has_value()) {
      out.push_back('.');
    } else {
      out.append(index->empty() ? "()" : absl::StrJoin(*index, ","));
    }
  }
  if (drawn < map.total()) absl::StrAppend(&out, " ... ", map.total() - drawn, " more slots");
  return out;
}

}  // namespace tessera::layout
