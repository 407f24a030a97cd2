#include "tessera/pipeline/verbs/layout/layout_pictures.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/draw_svg.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/layout/shape_text.h"
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

// The number behind ` width="` in the first tag of a picture.
double SideOf(absl::string_view picture, absl::string_view side) {
  const std::string key = absl::StrCat(" ", side, "=\"");
  const size_t begin = std::min(picture.find(key), picture.size() - key.size()) + key.size();
  double size = 0;
  const absl::string_view rest = picture.substr(begin);
  return absl::SimpleAtod(rest.substr(0, rest.find('"')), &size) ? size : 0;
}

std::string HeadOf(size_t number, const ProgramArray& array) {
  return absl::StrFormat("%d. %s %s: %s of %s are padding", number, array.kind, array.name,
                         layout::FormatBytes(array.padding), layout::FormatBytes(array.bytes));
}

// A picture as an element at this height.
std::string Placed(absl::string_view picture, double y) {
  return absl::StrFormat("<svg x=\"0\" y=\"%g\"%s", y,
                         picture.substr(std::min<size_t>(4, picture.size())));
}

}  // namespace

absl::StatusOr<std::string> LayoutPictures(const ProgramLayouts& layouts, size_t top) {
  text::SvgWriter rows;
  std::string pictures;
  double y = kMargin, width = kLeastWidth;
  for (size_t k = 0; k < std::min(top, layouts.arrays.size()); ++k) {
    const ProgramArray& array = layouts.arrays[k];
    if (array.padding == 0) break;
    TESSERA_ASSIGN_OR_RETURN(const layout::Shape shape, layout::ParseShape(array.shape));
    TESSERA_ASSIGN_OR_RETURN(const std::string picture, layout::DrawSvg(shape));
    rows.Text(kMargin, y + kMargin, HeadOf(k + 1, array), "class=\"row\"");
    absl::StrAppend(&pictures, Placed(picture, y + kLine));
    y += kLine + SideOf(picture, "height");
    width = std::max(width, SideOf(picture, "width"));
  }
  if (pictures.empty()) {
    rows.Text(kMargin, y + kMargin, "no array has padding", "class=\"row\"");
    y += kLine;
  }
  // The rows are in front of the pictures, whose own backgrounds lie below.
  return rows.Finish(width, y + kMargin, absl::StrCat(kStyle, pictures));
}

}  // namespace tessera::pipeline
