#include "tessera/layout/draw_svg.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_format.h"
#include "tessera/layout/draw/drawn_space.h"
#include "tessera/layout/draw/svg_parts.h"
#include "tessera/layout/draw/svg_style.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/layout/validate.h"
#include "tessera/text/formats/svg_writer.h"
#include "tessera/text/status_macros.h"

namespace tessera::layout {

using text::Box;
using text::SvgWriter;
namespace {

constexpr double kMargin = 16;
constexpr double kHeadHeight = 44;
constexpr double kGap = 48;
constexpr double kLeastWidth = 480;  // of the two lines of text at the top

void DrawHead(const Shape& array, const MemorySizes& sizes, SvgWriter* svg) {
  svg->Text(kMargin, kMargin + 12, ShapeToString(array), "class=\"head\"");
  svg->Text(kMargin, kMargin + 28,
            absl::StrFormat("data %d B, padded %d B, waste %.1f %%", sizes.data_bytes,
                            sizes.padded_bytes, 100 * sizes.waste()),
            "class=\"left\"");
}

}  // namespace

absl::StatusOr<text::SvgPicture> DrawSvgPicture(const Shape& shape) {
  const Shape& array = shape.array();
  TESSERA_ASSIGN_OR_RETURN(const DrawnSpace space, DrawnSpace::Create(array));
  TESSERA_ASSIGN_OR_RETURN(const MemorySizes sizes, SizesOf(array));
  SvgWriter svg;
  DrawHead(array, sizes, &svg);
  const double top = kMargin + kHeadHeight;
  if (space.map().total() > kMaxSvgCells) {
    const Box used = DrawTiles(space, sizes, kMargin, top, &svg);
    return svg.Finish(used.x + used.width + kMargin, used.y + used.height + kMargin, SvgStyle());
  }
  const Box grids = DrawGrids(space, kMargin, top, &svg);
  const double strip_x = kMargin + grids.width + kGap;
  const Box strip = DrawStrip(space.map(), StoredBits(array), strip_x, top, &svg);
  const double width = std::max(strip_x + strip.width + kMargin, kLeastWidth);
  const double height = top + std::max(grids.height, strip.height) + kMargin;
  return svg.Finish(width, height, SvgStyle());
}

absl::StatusOr<std::string> DrawSvg(const Shape& shape) {
  TESSERA_ASSIGN_OR_RETURN(const text::SvgPicture picture, DrawSvgPicture(shape));
  return text::SvgFile(picture);
}

}  // namespace tessera::layout
