#include "tessera/projection/shard_picture.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/projection/grid.h"
#include "tessera/projection/overlap.h"
#include "tessera/projection/picture.h"
#include "tessera/projection/svg_writer.h"

namespace tessera::projection {
namespace {

constexpr int64_t kMostRows = 32, kMostCols = 48, kMostSide = 64;
constexpr size_t kMostPanels = 8;
constexpr int kHues = 8;

// The fragments that a drawn cell has a part of.
std::vector<const Fragment*> FragmentsAt(absl::Span<const Fragment> fragments, const ZRange& at) {
  std::vector<const Fragment*> here;
  for (const Fragment& f : fragments) {
    const Cover cover = CoverOf(f.cells, at);
    if (cover == Cover::kAll || cover == Cover::kPart) here.push_back(&f);
  }
  return here;
}

char MarkOf(const std::vector<const Fragment*>& here) {
  constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  if (here.empty()) return '.';
  if (here.size() > 1 || here[0]->readers.size() > 1) return '*';
  const int reader = here[0]->readers[0];
  return reader < 36 ? kDigits[reader] : '#';
}

std::string FragmentText(const Fragment& f, int64_t element_bytes) {
  const int64_t cells = f.cells.size().value_or(0);
  return absl::StrCat("read by ", absl::StrJoin(f.readers, ", "), ": ", cells, " cells, ",
                      cells * element_bytes, " bytes");
}

std::string ClassOf(const std::vector<const Fragment*>& here) {
  if (here.empty()) return "cell";
  if (here.size() > 1 || here[0]->readers.size() > 1) return "shared";
  const int reader = here[0]->readers[0];
  return absl::StrCat("o", reader % kHues, reader / kHues % 2 == 1 ? " second" : "");
}

constexpr char kStyle[] =
    "<defs><pattern id=\"stripes\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
    "<path d=\"M0 6L6 0\" stroke=\"#444\"/></pattern></defs>\n"
    "<style>text{font-family:monospace;font-size:13px}.cell{fill:#f4f4f4;stroke:#ccc}"
    ".shared{fill:url(#stripes);stroke:#444}.second{stroke:#000;stroke-dasharray:2}"
    ".o0{fill:#7fb3d5}.o1{fill:#f5b7b1}.o2{fill:#a9dfbf}.o3{fill:#f9e79f}.o4{fill:#d2b4de}"
    ".o5{fill:#edbb99}.o6{fill:#aeb6bf}.o7{fill:#76d7c4}</style>\n";

}  // namespace

std::string DrawShards(absl::string_view name, const ZPoint& shape,
                       absl::Span<const Fragment> fragments, int64_t element_bytes) {
  std::string out = absl::StrCat(name, " ", ShapeText(shape), "\n");
  const Grid grid = GridOf(shape, kMostRows, kMostCols, kMostPanels);
  if (grid.scaled())
    absl::StrAppend(&out, "  (one mark stands for ", grid.row_scale, " x ", grid.col_scale,
                    " cells)\n");
  for (const ZPoint& panel : grid.panels) {
    const std::string title = PanelName(panel, shape.rank());
    if (!title.empty()) absl::StrAppend(&out, "  ", title, "\n");
    if (title == "...") continue;
    for (int64_t row = 0; row < grid.rows; ++row) {
      std::string line = " ";
      for (int64_t col = 0; col < grid.cols; ++col) {
        line += ' ';
        line += MarkOf(FragmentsAt(fragments, grid.CellsAt(panel, row, col)));
      }
      absl::StrAppend(&out, line, "\n");
    }
  }
  for (const Fragment& f : fragments)
    absl::StrAppend(&out, "  ", FragmentText(f, element_bytes), "\n");
  return out;
}

std::string SvgOfShards(absl::string_view name, const ZPoint& shape,
                        absl::Span<const Fragment> fragments, int64_t element_bytes) {
  SvgWriter svg;
  const Grid grid = GridOf(shape, kMostSide, kMostSide, kMostPanels);
  svg.Line(absl::StrCat(name, " ", ShapeText(shape)));
  for (const ZPoint& panel : grid.panels) {
    const std::string title = PanelName(panel, shape.rank());
    if (!title.empty()) svg.Line(title);
    if (title == "...") continue;
    for (int64_t row = 0; row < grid.rows; ++row) {
      for (int64_t col = 0; col < grid.cols; ++col) {
        const ZRange at = grid.CellsAt(panel, row, col);
        const auto here = FragmentsAt(fragments, at);
        std::string text = at.ToString();
        for (const Fragment* f : here)
          absl::StrAppend(&text, "; ", FragmentText(*f, element_bytes));
        svg.Rect(ClassOf(here), SvgWriter::kMargin + col * SvgWriter::kPitch,
                 svg.y + row * SvgWriter::kPitch, SvgWriter::kSide, SvgWriter::kSide, text);
      }
    }
    svg.y += grid.rows * SvgWriter::kPitch + SvgWriter::kMargin;
  }
  for (const Fragment& f : fragments) svg.Line(FragmentText(f, element_bytes));
  return svg.ToString(kStyle);
}

std::string DrawPoint(absl::string_view name, const ZProjection& p, const ZRange& index,
                      const ZPoint& point) {
  const ZRange at = *ZRange::Create(point, *point.Plus(ZPoint::Filled(point.rank(), 1)));
  std::string out = DrawRegion("index", index.shape(), ZSet::OfBox(at));
  absl::StrAppend(&out, "  :\n", DrawMatrix(p));
  for (int c = 0; c < p.index_rank(); ++c) {
    for (int r = 0; r < p.tensor_rank(); ++r) {
      if (DirectionOf(p, c, r) == Direction::kDescending)
        absl::StrAppend(&out, "  <- axis ", c, " counts backwards in dimension ", r, "\n");
    }
  }
  absl::StrAppend(&out, "  v\n");
  const absl::StatusOr<ZSet> cells = p.Image(at);
  if (!cells.ok()) return absl::StrCat(out, name, ": ", cells.status().message(), "\n");
  const absl::StatusOr<ZRange> region = p.Region(point);
  const ZPoint shape = p.spec().extent.has_value()
                           ? *p.spec().extent
                           : (cells->bounding().has_value() ? cells->bounding()->end() : ZPoint());
  out += DrawRegion(name, shape, *cells);
  const int64_t read = cells->size().value_or(0);
  const int64_t all = ZRange::FromShape(p.shape()).size().value_or(0);
  if (region.ok() && read < all)
    absl::StrAppend(&out, "  ", all - read, " cells of ", region->ToString(),
                    " are not in the tensor: ", PolicyName(p.spec().policy), "\n");
  return out;
}

std::string DrawSplit(const SplitReduction& split) {
  const auto shapes = [](const Signature& s) {
    std::vector<std::string> texts;
    for (const OperandAccess& operand : s.operands) texts.push_back(ShapeText(operand.shape));
    return absl::StrJoin(texts, " ");
  };
  const std::string partial = ShapeText(split.map.result_shapes[0]);
  return absl::StrCat("map      ", shapes(split.map), "  ", split.part, " indices a part\n",
                      "  :\npartial  ", partial, "  one cell a part in the last dimension\n  :\n",
                      "combine  ", partial, " -> ", ShapeText(split.combine.result_shapes[0]),
                      "  init once\n");
}

}  // namespace tessera::projection
