// A picture whose pieces stand one below the other; it becomes as wide as they need.
#ifndef TESSERA_PROJECTION_DRAW_SVG_CANVAS_H_
#define TESSERA_PROJECTION_DRAW_SVG_CANVAS_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/text/formats/svg_writer.h"

namespace tessera::projection {

class SvgCanvas {
 public:
  static constexpr int64_t kPitch = 19, kSide = 18, kMargin = 12, kLine = 20;

  static int64_t TextWidth(absl::string_view text) { return 8 * static_cast<int64_t>(text.size()); }

  // Where the next thing goes.
  int64_t y = kMargin;

  void Text(int64_t x, absl::string_view text) {
    svg_.Text(x, y + 13, text);
    Reach(x + TextWidth(text) + kMargin);
  }
  // A line of text of its own.
  void Line(absl::string_view text) {
    Text(kMargin, text);
    y += kLine;
  }
  void Rect(absl::string_view css_class, int64_t x, int64_t top, int64_t width, int64_t height,
            absl::string_view title) {
    svg_.Rect({double(x), double(top), double(width), double(height)},
              absl::StrCat("class=\"", css_class, "\""), title);
    Reach(x + width + kMargin);
  }
  // Takes no room. As of text::SvgWriter.
  void Shape(absl::string_view element, absl::string_view attributes, absl::string_view title) {
    svg_.Shape(element, attributes, title);
  }
  void Reach(int64_t width) { width_ = std::max(width_, width); }

  // `head`: patterns and style.
  std::string ToString(absl::string_view head) const {
    return text::SvgFile(svg_.Finish(double(width_ + kMargin), double(y), head));
  }

 private:
  text::SvgWriter svg_;
  int64_t width_ = 0;
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_DRAW_SVG_CANVAS_H_
