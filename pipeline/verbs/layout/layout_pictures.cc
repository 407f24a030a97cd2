#include "tessera/pipeline/verbs/layout/layout_pictures.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "tessera/layout/draw_svg.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/text/formats/svg_writer.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

constexpr double kMargin = 16, kLine = 28, kLeastWidth = 480;
constexpr char kStyle[] =
    "<style>\nsvg { background: #ffffff; }\n"
    "text.row { font-family: monospace; font-size: 13px; fill: #222222; }\n"
    "@media (prefers-color-scheme: dark) {\n  svg { background: #16181c; }\n"
    "  text.row { fill: #e8e8e8; }\n}\n</style>\n";

std::string HeadOf(size_t number, const ProgramArray& array) {
  return absl::StrFormat("%d. %s %s: %s of %s are padding", number, array.kind, array.name,
                         layout::FormatBytes(array.padding), layout::FormatBytes(array.bytes));
}

}  // namespace

absl::StatusOr<std::string> LayoutPictures(const ProgramLayouts& layouts, size_t top) {
  text::SvgWriter page;
  double y = kMargin, width = kLeastWidth;
  const auto add_row = [&](const std::string& text) {
    page.Text(kMargin, y + kMargin, text, "class=\"row\"");
    y += kLine;
  };
  for (size_t k = 0; k < std::min(top, layouts.arrays.size()); ++k) {
    const ProgramArray& array = layouts.arrays[k];
    if (array.padding == 0) break;
    TESSERA_ASSIGN_OR_RETURN(const text::SvgPicture picture, layout::DrawSvgPicture(array.shape));
    add_row(HeadOf(k + 1, array));
    page.Picture(0, y, picture);
    y += picture.height;
    width = std::max(width, picture.width);
  }
  if (y == kMargin) add_row("no array has padding");
  return text::SvgFile(page.Finish(width, y + kMargin, kStyle));
}

}  // namespace tessera::pipeline
