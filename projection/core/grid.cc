#include "tessera/projection/core/grid.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/text/checked.h"

namespace tessera::projection {
namespace {

int64_t ScaleFor(int64_t extent, int64_t most) {
  int64_t scale = 1;
  while (CeilDiv(extent, scale) > most) scale *= 2;
  return scale;
}

int64_t RowDim(const ZPoint& shape) { return shape.rank() - 2; }
int64_t ColDim(const ZPoint& shape) { return shape.rank() - 1; }

int64_t ExtentOr1(const ZPoint& shape, int64_t dim) {
  return dim >= 0 ? shape[static_cast<int>(dim)] : 1;
}

// The leading indices that are drawn: all, or the first and last ones around a gap.
std::vector<ZPoint> Panels(const ZPoint& leading, size_t most) {
  std::vector<ZPoint> head;
  const ZRange all = ZRange::FromShape(leading);
  const size_t half = std::max<size_t>(most / 2, 1);
  const absl::StatusOr<int64_t> count = all.size();
  if (count.ok() && *count <= static_cast<int64_t>(most)) {
    ForEachCell(all, [&](const ZPoint& p) { return head.push_back(p), true; });
    return head;
  }
  ForEachCell(all, [&](const ZPoint& p) { return head.push_back(p), head.size() < half; });
  ZPoint last = leading;
  for (int d = 0; d < last.rank(); ++d) last[d] -= 1;
  head.push_back(ZPoint());  // the gap
  head.push_back(last);
  return head;
}

}  // namespace

Grid GridOf(const ZPoint& shape, int64_t max_rows, int64_t max_cols, size_t max_panels) {
  Grid g;
  g.shape = shape;
  const int64_t rows = ExtentOr1(shape, RowDim(shape)), cols = ExtentOr1(shape, ColDim(shape));
  g.row_scale = ScaleFor(rows, max_rows);
  g.col_scale = ScaleFor(cols, max_cols);
  g.rows = CeilDiv(rows, g.row_scale);
  g.cols = CeilDiv(cols, g.col_scale);
  ZPoint leading;
  for (int d = 0; d < shape.rank() - 2; ++d) leading.push_back(shape[d]);
  g.panels = Panels(leading, max_panels);
  return g;
}

ZRange Grid::CellsAt(const ZPoint& panel, int64_t row, int64_t col) const {
  ZRange at = ZRange::FromShape(shape);
  for (int d = 0; d < panel.rank(); ++d) at = at.WithDim(d, panel[d], panel[d] + 1);
  const auto narrow = [&](int64_t dim, int64_t index, int64_t scale) {
    if (dim < 0) return;
    const int64_t start = index * scale;
    at = at.WithDim(static_cast<int>(dim), start,
                    std::min(start + scale, shape[static_cast<int>(dim)]));
  };
  narrow(RowDim(shape), row, row_scale);
  narrow(ColDim(shape), col, col_scale);
  return at;
}

Cover CoverOf(const ZSet& cells, const ZRange& at) {
  const absl::StatusOr<ZSet> inside = cells.Intersect(ZSet::OfBox(at));
  if (!inside.ok()) return Cover::kPart;
  const int64_t covered = inside->size().value_or(0), all = at.size().value_or(1);
  if (covered > 0) return covered == all ? Cover::kAll : Cover::kPart;
  const std::optional<ZRange> box = cells.bounding();
  return box.has_value() && box->Overlaps(at) ? Cover::kUnread : Cover::kNone;
}

std::string PanelName(const ZPoint& panel, int rank) {
  if (rank <= 2) return "";
  if (panel.rank() == 0) return "...";
  std::string name = "[";
  for (int64_t index : panel) absl::StrAppend(&name, index, ", ");
  return name + "*, *]";
}

}  // namespace tessera::projection
