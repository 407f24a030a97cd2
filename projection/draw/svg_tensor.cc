#include "tessera/projection/draw/svg_tensor.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/projection/core/grid.h"

namespace tessera::projection {
namespace {

constexpr int64_t kPitch = SvgCanvas::kPitch, kSide = SvgCanvas::kSide;
constexpr size_t kMaxPanelsOfTensor = 64;
constexpr size_t kMaxNamed = 8;      // readers in a title
constexpr int64_t kMaxOutside = 16;  // squares beyond a border

// The hues of readers: of cells, and of stripes.
constexpr int kHues = 8;
constexpr const char* kLight[kHues] = {"#7fb3d5", "#f5b7b1", "#a9dfbf", "#f9e79f",
                                       "#d2b4de", "#edbb99", "#aeb6bf", "#76d7c4"};
constexpr const char* kDark[kHues] = {"#1f618d", "#b03a2e", "#1e8449", "#b7950b",
                                      "#6c3483", "#a04000", "#283747", "#117864"};

// 64 x 64 = 4,096 drawn cells, and no more than four times as many in all panels.
int64_t MostSide(const ZPoint& shape) {
  int64_t panels = 1;
  for (int d = 0; d + 2 < shape.rank() && panels <= 64; ++d) panels *= shape[d];
  return panels <= 4 ? 64 : panels <= 16 ? 32 : 16;
}

const char* ClassOf(Cover cover) {
  constexpr const char* kClasses[] = {"cell", "unread", "part", "all"};
  return kClasses[static_cast<int>(cover)];
}

std::string OwnerClass(int reader) {
  constexpr const char* kPatterns[] = {"", " second", " third"};
  return absl::StrCat("o", reader % kHues, kPatterns[reader / kHues % 3]);
}

// A tensor and where its squares go.
struct Drawing {
  const SvgTensor& t;
  Grid grid;
  std::vector<ZRange> boxes;         // around each fragment
  int64_t x;                         // of the panel
  int64_t top, left, bottom, right;  // squares outside the tensor on each side
  SvgCanvas* canvas;

  int64_t Left(int64_t col) const { return x + (left + col) * kPitch; }
  int64_t Top(int64_t row) const { return canvas->y + (top + row) * kPitch; }
  void Square(absl::string_view css_class, int64_t row, int64_t col, absl::string_view title) {
    canvas->Rect(css_class, Left(col), Top(row), kSide, kSide, title);
  }
  void Ring(int64_t row, int64_t col, absl::string_view title) {
    canvas->Shape("circle",
                  absl::StrCat("class=\"landing\" cx=\"", Left(col) + kSide / 2, "\" cy=\"",
                               Top(row) + kSide / 2, "\" r=\"", kSide / 3, "\""),
                  title);
  }
};

std::string TitleOf(const Fragment& f, const SvgTensor& t) {
  const int64_t cells = f.cells.size().value_or(0);
  const size_t named = std::min(f.readers.size(), kMaxNamed);
  std::string readers = absl::StrJoin(f.readers.begin(), f.readers.begin() + named, ", ");
  if (named < f.readers.size())
    absl::StrAppend(&readers, " and ", f.readers.size() - named, " more");
  return absl::StrCat("read by ", readers, ": ", cells, " cells, ", cells * t.element_bytes,
                      " bytes");
}

// In the hue of its first reader, with stripes in that of the second.
void DrawOwned(const ZRange& at, int64_t row, int64_t col, Drawing* d) {
  std::vector<int> readers;
  std::string title = BoxText(at);
  for (size_t i = 0; i < d->t.fragments.size(); ++i) {
    const Fragment& f = d->t.fragments[i];
    if (!d->boxes[i].Overlaps(at) || CoverOf(f.cells, at) < Cover::kPart) continue;
    readers.insert(readers.end(), f.readers.begin(), f.readers.end());
    absl::StrAppend(&title, "; ", TitleOf(f, d->t));
  }
  std::sort(readers.begin(), readers.end());
  readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
  d->Square(readers.empty() ? "cell" : OwnerClass(readers[0]), row, col, title);
  if (readers.size() > 1) d->Square(absl::StrCat("shared s", readers[1] % kHues), row, col, title);
}

void DrawCells(const ZPoint& panel, Drawing* d) {
  for (int64_t row = 0; row < d->grid.rows; ++row) {
    for (int64_t col = 0; col < d->grid.cols; ++col) {
      const ZRange at = d->grid.CellsAt(panel, row, col);
      if (d->t.fragments.empty()) {
        d->Square(ClassOf(CoverOf(d->t.cells, at)), row, col, BoxText(at));
      } else {
        DrawOwned(at, row, col, d);
      }
    }
  }
}

// One outline for each box of the set that meets the panel.
void DrawOutlines(const ZPoint& panel, const ZSet& cells, absl::string_view title, Drawing* d) {
  const absl::StatusOr<std::vector<ZRange>> boxes = cells.Slabs(1024);
  if (!boxes.ok()) return;
  const int rank = d->t.shape.rank();
  for (const ZRange& box : *boxes) {
    bool here = true;
    for (int dim = 0; dim < panel.rank(); ++dim)
      here &= box.start()[dim] <= panel[dim] && panel[dim] < box.end()[dim];
    if (!here) continue;
    const Grid& grid = d->grid;
    const int64_t top = rank >= 2 ? box.start()[rank - 2] / grid.row_scale : 0;
    const int64_t bottom = rank >= 2 ? (box.end()[rank - 2] - 1) / grid.row_scale + 1 : 1;
    const int64_t left = rank >= 1 ? box.start()[rank - 1] / grid.col_scale : 0;
    const int64_t right = rank >= 1 ? (box.end()[rank - 1] - 1) / grid.col_scale + 1 : 1;
    d->canvas->Shape("path",
                     absl::StrCat("class=\"region\" d=\"M", d->Left(left) - 1, " ", d->Top(top) - 1,
                                  "h", (right - left) * kPitch, "v", (bottom - top) * kPitch, "h",
                                  -(right - left) * kPitch, "z\""),
                     absl::StrCat(d->t.name, " ", BoxText(box), ", ", box.size().value_or(0),
                                  " cells: ", title));
  }
}

// The cell of the tensor that a coordinate outside becomes; none where the policy has none.
std::optional<ZPoint> LandingOf(const ZPoint& at, const SvgTensor& t) {
  ZPoint landing = at;
  for (int d = 0; d < at.rank(); ++d) {
    const auto cell = ApplyPolicy(t.outside, at[d], t.shape[d]);
    if (!cell.ok() || !cell->has_value()) return std::nullopt;
    landing[d] = **cell;
  }
  return landing;
}

// Cells of the question that are not there; a ring where one of them lands.
void DrawOutside(Drawing* d) {
  for (int64_t row = -d->top; row < d->grid.rows + d->bottom; ++row) {
    for (int64_t col = -d->left; col < d->grid.cols + d->right; ++col) {
      const bool inside = row >= 0 && row < d->grid.rows && col >= 0 && col < d->grid.cols;
      const ZPoint at = d->t.shape.rank() == 1 ? ZPoint{col} : ZPoint{row, col};
      if (inside || !d->t.reach->Contains(at)) continue;
      d->Square("pad", row, col,
                absl::StrCat(at.ToString(), " is outside: ", PolicyName(d->t.outside)));
      const std::optional<ZPoint> landing = LandingOf(at, d->t);
      if (!landing.has_value()) continue;
      d->Ring(landing->rank() == 1 ? 0 : (*landing)[0], (*landing)[landing->rank() - 1],
              absl::StrCat(at.ToString(), " lands here"));
    }
  }
}

// How many squares stand out, on each side.
void MeasureOutside(Drawing* d) {
  const SvgTensor& t = d->t;
  if (!t.reach.has_value() || t.shape.rank() < 1 || t.shape.rank() > 2 || d->grid.scaled()) return;
  const auto beyond = [](int64_t cells) { return std::clamp<int64_t>(cells, 0, kMaxOutside); };
  const int col = t.shape.rank() - 1;
  d->left = beyond(-t.reach->start()[col]);
  d->right = beyond(t.reach->end()[col] - t.shape[col]);
  if (col == 0) return;
  d->top = beyond(-t.reach->start()[0]);
  d->bottom = beyond(t.reach->end()[0] - t.shape[0]);
}

std::string Heading(const SvgTensor& t, const Grid& grid) {
  std::string heading = absl::StrCat(t.name, " ", ShapeText(t.shape));
  if (!t.title.empty()) absl::StrAppend(&heading, ": ", t.title);
  if (grid.scaled())
    absl::StrAppend(&heading, " (a square is ", grid.row_scale, " x ", grid.col_scale, " cells)");
  return heading;
}

}  // namespace

std::string TensorStyle() {
  std::string patterns =
      "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
      "<path d=\"M0 6L6 0\" stroke=\"#888\"/></pattern>";
  std::string classes =
      "<style>text{font-family:monospace;font-size:13px}.cell{fill:#f4f4f4;stroke:#ccc}"
      ".all{fill:#7fb3d5;stroke:#2e6c99}.part{fill:#cfe2f0;stroke:#2e6c99}"
      ".unread{fill:url(#hatch);stroke:#999}.pad{fill:none;stroke:#666;stroke-dasharray:3}"
      ".region{fill:none;stroke:#c0392b;stroke-width:2}"
      ".landing{fill:none;stroke:#c0392b;stroke-width:2}"
      ".arrow{fill:none;stroke:#444;stroke-dasharray:4}"
      ".second{stroke:#000;stroke-dasharray:2}.third{stroke:#000;stroke-width:2}";
  for (int hue = 0; hue < kHues; ++hue) {
    absl::StrAppend(&patterns, "<pattern id=\"s", hue,
                    "\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
                    "<path d=\"M0 6L6 0\" stroke=\"",
                    kDark[hue], "\" stroke-width=\"2\"/></pattern>");
    absl::StrAppend(&classes, ".o", hue, "{fill:", kLight[hue], "}.s", hue, "{fill:url(#s", hue,
                    ")}");
  }
  return absl::StrCat(patterns, "</defs>\n", classes, "</style>\n");
}

int64_t DrawTensor(const SvgTensor& t, int64_t x, SvgCanvas* canvas) {
  Drawing d{t,     GridOf(t.shape, MostSide(t.shape), MostSide(t.shape), kMaxPanelsOfTensor),
            {},    x,
            0,     0,
            0,     0,
            canvas};
  for (const Fragment& f : t.fragments)
    d.boxes.push_back(f.cells.bounding().value_or(ZRange::FromShape(t.shape)));
  MeasureOutside(&d);
  const std::string heading = Heading(t, d.grid);
  canvas->Text(x, heading);
  canvas->y += SvgCanvas::kLine;
  const bool named = t.shape.rank() > 2;
  for (const ZPoint& panel : d.grid.panels) {
    const std::string name = PanelName(panel, t.shape.rank());
    if (named) canvas->Text(d.x, name);
    if (name == "...") {
      d.x += 4 * kPitch;
      continue;
    }
    if (named) canvas->y += SvgCanvas::kLine;
    DrawCells(panel, &d);
    if (t.fragments.empty()) DrawOutlines(panel, t.cells, t.title, &d);
    for (const Fragment& f : t.fragments) DrawOutlines(panel, f.cells, TitleOf(f, t), &d);
    if (d.left + d.right + d.top + d.bottom > 0) DrawOutside(&d);
    if (named) canvas->y -= SvgCanvas::kLine;
    d.x += std::max((d.left + d.grid.cols + d.right) * kPitch, SvgCanvas::TextWidth(name)) + kPitch;
  }
  canvas->Reach(d.x);
  canvas->y += (d.top + d.grid.rows + d.bottom) * kPitch + SvgCanvas::kMargin +
               (named ? SvgCanvas::kLine : 0);
  return std::max(d.x - x, SvgCanvas::TextWidth(heading));
}

}  // namespace tessera::projection
