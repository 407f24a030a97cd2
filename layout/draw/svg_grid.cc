#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "tessera/layout/draw/svg_parts.h"
#include "tessera/layout/draw/svg_style.h"

namespace tessera::layout {

using text::Box;
using text::SvgWriter;
namespace {

constexpr double kAxisHeight = 36;

// Tile of level `level` that a cell is in; -1 without such a level.
int64_t TileOf(const DrawnSpace& space, const DrawnSpace::Cell& cell, size_t level) {
  const auto& levels = space.map().tiling().levels;
  return level < levels.size() ? TileNumber(levels[level], cell.after_level[level]) : -1;
}

std::string SizeLabel(int64_t data, int64_t padded) {
  return data == padded ? absl::StrCat(data) : absl::StrCat(data, " [", padded, "]");
}

// The array, slice under slice.
class GridPicture {
 public:
  GridPicture(const DrawnSpace& space, SvgWriter* svg)
      : space_(space),
        svg_(svg),
        rows_(std::min(space.rows(), DrawnSpace::kMaxRows)),
        columns_(std::min(space.columns(), DrawnSpace::kMaxColumns)),
        cell_width_(CellWidth(absl::StrCat(space.map().total()).size())) {}

  double width() const { return kAxisWidth + cell_width_ * static_cast<double>(columns_); }

  // Draws from (x, y) down; the height used.
  double Draw(double x, double y) {
    const double top = y;
    if (space_.empty()) {
      svg_->Text(x, y + kCellHeight, "(empty)", "class=\"left\"");
      return 2 * kCellHeight;
    }
    const int64_t slices = std::min(space_.slices(), DrawnSpace::kMaxSlices);
    for (int64_t slice = 0; slice < slices; ++slice) y = DrawSlice(slice, x, y);
    y = DrawMore(space_.slices() - slices, "slices", x, y);
    return y - top;
  }

 private:
  Box BoxOf(int64_t row, int64_t column) const {
    return {left_ + cell_width_ * static_cast<double>(column),
            top_ + kCellHeight * static_cast<double>(row), cell_width_, kCellHeight};
  }

  double DrawSlice(int64_t slice, double x, double y) {
    const std::string name = space_.SliceName(slice);
    if (!name.empty()) svg_->Text(x, y += kCellHeight, name, "class=\"left\"");
    left_ = x + kAxisWidth;
    top_ = y + kAxisHeight;
    DrawAxes();
    for (int64_t row = 0; row < rows_; ++row) {
      for (int64_t column = 0; column < columns_; ++column) DrawCell(slice, row, column);
    }
    for (int64_t row = 0; row <= rows_; ++row) {
      for (int64_t column = 0; column <= columns_; ++column) DrawEdges(slice, row, column);
    }
    y = top_ + kCellHeight * static_cast<double>(rows_);
    y = DrawMore(space_.rows() - rows_, "rows", x, y);
    return DrawMore(space_.columns() - columns_, "columns", x, y) + kCellHeight;
  }

  // Brackets with the sizes, and the index of each row and column that holds data.
  void DrawAxes() {
    const size_t rank = space_.sizes().size();
    const double right = left_ + cell_width_ * static_cast<double>(columns_);
    const double bottom = top_ + kCellHeight * static_cast<double>(rows_);
    svg_->Line(left_, top_ - 20, right, top_ - 20, "class=\"bracket\"");
    svg_->Line(left_, top_ - 23, left_, top_ - 17, "class=\"bracket\"");
    svg_->Line(right, top_ - 23, right, top_ - 17, "class=\"bracket\"");
    svg_->Text((left_ + right) / 2, top_ - 25,
               SizeLabel(space_.data_sizes()[rank - 1], space_.columns()), "class=\"size\"");
    svg_->Line(left_ - 22, top_, left_ - 22, bottom, "class=\"bracket\"");
    svg_->Line(left_ - 25, top_, left_ - 19, top_, "class=\"bracket\"");
    svg_->Line(left_ - 25, bottom, left_ - 19, bottom, "class=\"bracket\"");
    svg_->Text(left_ - 43, (top_ + bottom) / 2,
               SizeLabel(space_.data_sizes()[rank - 2], space_.rows()), "class=\"size\"");
    for (int64_t i = 0; i < std::min(columns_, space_.data_sizes()[rank - 1]); ++i) {
      svg_->Text(BoxOf(0, i).x + cell_width_ / 2, top_ - 5, absl::StrCat(i), "class=\"axis\"");
    }
    for (int64_t i = 0; i < std::min(rows_, space_.data_sizes()[rank - 2]); ++i) {
      svg_->Text(left_ - 10, BoxOf(i, 0).y + 15, absl::StrCat(i), "class=\"axis\"");
    }
  }

  void DrawCell(int64_t slice, int64_t row, int64_t column) {
    const DrawnSpace::Cell cell = space_.CellAt(slice, row, column);
    const Box box = BoxOf(row, column);
    const std::string hue = HueOf(std::max<int64_t>(TileOf(space_, cell, 0), 0));
    if (cell.padding) {
      svg_->Rect(box, absl::StrCat("class=\"gcell gpad\" ", hue),
                 absl::StrCat("padding, offset ", cell.offset));
      Hatch(box, svg_);
      return;
    }
    const std::string index = IndexText(*space_.map().IndexOf(cell.offset));
    svg_->Rect(box, absl::StrCat("class=\"gcell\" ", hue),
               absl::StrCat("index ", index, ", offset ", cell.offset));
    svg_->Text(box.x + box.width / 2, box.y + 15, absl::StrCat(cell.offset), "class=\"number\"");
  }

  // Red between tiles of the second level, thick between those of the first.
  void DrawEdges(int64_t slice, int64_t row, int64_t column) {
    const Box box = BoxOf(row, column);
    if (row < rows_) {
      DrawEdge(ClassBetween(slice, row, column - 1, row, column), box.x, box.y, box.x,
               box.y + kCellHeight);
    }
    if (column < columns_) {
      DrawEdge(ClassBetween(slice, row - 1, column, row, column), box.x, box.y, box.x + cell_width_,
               box.y);
    }
  }

  void DrawEdge(absl::string_view css_class, double x1, double y1, double x2, double y2) {
    if (!css_class.empty()) svg_->Line(x1, y1, x2, y2, absl::StrCat("class=\"", css_class, "\""));
  }

  bool Inside(int64_t row, int64_t column) const {
    return row >= 0 && row < rows_ && column >= 0 && column < columns_;
  }

  absl::string_view ClassBetween(int64_t slice, int64_t row_a, int64_t column_a, int64_t row_b,
                                 int64_t column_b) const {
    const bool has_second = space_.map().tiling().levels.size() > 1;
    const absl::string_view outer = has_second ? "second" : "border";
    if (!Inside(row_a, column_a) || !Inside(row_b, column_b)) return outer;
    const DrawnSpace::Cell a = space_.CellAt(slice, row_a, column_a);
    const DrawnSpace::Cell b = space_.CellAt(slice, row_b, column_b);
    if (has_second && TileOf(space_, a, 1) != TileOf(space_, b, 1)) return "second";
    return TileOf(space_, a, 0) != TileOf(space_, b, 0) ? "border" : "";
  }

  double DrawMore(int64_t count, absl::string_view what, double x, double y) {
    if (count <= 0) return y;
    svg_->Text(x, y + kCellHeight - 6, absl::StrCat("... ", count, " more ", what),
               "class=\"left\"");
    return y + kCellHeight;
  }

  const DrawnSpace& space_;
  SvgWriter* svg_;
  const int64_t rows_;
  const int64_t columns_;
  const double cell_width_;
  double left_ = 0;
  double top_ = 0;
};

}  // namespace

Box DrawGrids(const DrawnSpace& space, double x, double y, SvgWriter* svg) {
  GridPicture picture(space, svg);
  return {x, y, picture.width(), picture.Draw(x, y)};
}

}  // namespace tessera::layout
