#include "tessera/projection/svg.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/projection/grid.h"
#include "tessera/projection/svg_writer.h"

namespace tessera::projection {
namespace {

constexpr int64_t kPitch = SvgWriter::kPitch, kSide = SvgWriter::kSide;
constexpr int64_t kMargin = SvgWriter::kMargin, kLine = SvgWriter::kLine;
constexpr int64_t kMostSide = 64;  // 64 x 64 = 4,096 drawn cells
constexpr size_t kMostPanels = 64;

constexpr char kStyle[] =
    "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
    "<path d=\"M0 6L6 0\" stroke=\"#888\"/></pattern></defs>\n"
    "<style>text{font-family:monospace;font-size:13px}.cell{fill:#f4f4f4;stroke:#ccc}"
    ".all{fill:#7fb3d5;stroke:#2e6c99}.part{fill:#cfe2f0;stroke:#2e6c99}.unread{fill:url(#hatch);"
    "stroke:#999}"
    ".region{fill:none;stroke:#c0392b;stroke-width:2}</style>\n";

const char* ClassOf(Cover cover) {
  constexpr const char* kClasses[] = {"cell", "unread", "part", "all"};
  return kClasses[static_cast<int>(cover)];
}

void DrawCells(const SvgTensor& t, const Grid& grid, const ZPoint& panel, int64_t x,
               SvgWriter* canvas) {
  for (int64_t row = 0; row < grid.rows; ++row) {
    for (int64_t col = 0; col < grid.cols; ++col) {
      const ZRange at = grid.CellsAt(panel, row, col);
      canvas->Rect(ClassOf(CoverOf(t.cells, at)), x + col * kPitch, canvas->y + row * kPitch, kSide,
                   kSide, at.ToString());
    }
  }
}

// One outline for each box of the set that meets the panel.
void DrawOutlines(const SvgTensor& t, const Grid& grid, const ZPoint& panel, int64_t x,
                  SvgWriter* canvas) {
  const absl::StatusOr<std::vector<ZRange>> boxes = t.cells.Slabs(1024);
  if (!boxes.ok()) return;
  const int rank = t.shape.rank();
  for (const ZRange& box : *boxes) {
    bool here = true;
    for (int d = 0; d < panel.rank(); ++d)
      here &= box.start()[d] <= panel[d] && panel[d] < box.end()[d];
    if (!here) continue;
    const int64_t top = rank >= 2 ? box.start()[rank - 2] / grid.row_scale : 0;
    const int64_t bottom = rank >= 2 ? (box.end()[rank - 2] - 1) / grid.row_scale + 1 : 1;
    const int64_t left = rank >= 1 ? box.start()[rank - 1] / grid.col_scale : 0;
    const int64_t right = rank >= 1 ? (box.end()[rank - 1] - 1) / grid.col_scale + 1 : 1;
    canvas->Raw(
        absl::StrCat("<path class=\"region\" d=\"M", x + left * kPitch - 1, " ",
                     canvas->y + top * kPitch - 1, "h", (right - left) * kPitch, "v",
                     (bottom - top) * kPitch, "h", -(right - left) * kPitch, "z\"><title>",
                     SvgWriter::Escape(absl::StrCat(t.name, " ", box.ToString(), ", ",
                                                    box.size().value_or(0), " cells: ", t.title)),
                     "</title></path>\n"));
  }
}

void DrawTensor(const SvgTensor& t, SvgWriter* canvas) {
  const Grid grid = GridOf(t.shape, kMostSide, kMostSide, kMostPanels);
  std::string heading = absl::StrCat(t.name, " ", ShapeText(t.shape), ": ", t.title);
  if (grid.scaled())
    absl::StrAppend(&heading, " (a square is ", grid.row_scale, " x ", grid.col_scale, " cells)");
  canvas->Line(heading);
  int64_t x = kMargin;
  for (const ZPoint& panel : grid.panels) {
    const std::string name = PanelName(panel, t.shape.rank());
    if (!name.empty()) canvas->Text(x, name);
    if (name == "...") {
      x += 4 * kPitch;
      continue;
    }
    if (!name.empty()) canvas->y += kLine;
    DrawCells(t, grid, panel, x, canvas);
    DrawOutlines(t, grid, panel, x, canvas);
    if (!name.empty()) canvas->y -= kLine;
    x += std::max<int64_t>(grid.cols * kPitch, 8 * static_cast<int64_t>(name.size())) + kPitch;
    canvas->Reach(x);
  }
  canvas->y += grid.rows * kPitch + kMargin + (t.shape.rank() > 2 ? kLine : 0);
}

}  // namespace

std::string SvgPicture::ToString() const {
  SvgWriter canvas;
  for (const SvgTensor& t : tensors_) DrawTensor(t, &canvas);
  return canvas.ToString(kStyle);
}

}  // namespace tessera::projection
