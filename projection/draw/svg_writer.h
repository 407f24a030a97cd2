// File: projection/draw/svg_writer.h
//
// The pieces of a picture: text, squares, titles, one below the other.
#ifndef TESSERA_PROJECTION_DRAW_SVG_WRITER_H_
#define TESSERA_PROJECTION_DRAW_SVG_WRITER_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace tessera::projection {

class SvgWriter {
 public:
  static constexpr int64_t kPitch = 19, kSide = 18, kMargin = 12, kLine = 20;

  static std::string Escape(absl::string_view text) {
    return absl::StrReplaceAll(text,
                               {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
  }

  static int64_t TextWidth(absl::string_view text) { return 8 * static_cast<int64_t>(text.size()); }

  // Where the next thing goes.
  int64_t y = kMargin;

  void Text(int64_t x, absl::string_view text) {
    absl::StrAppend(&body_, "<text x=\"", x, "\" y=\"", y + 13, "\">", Escape(text), "</text>\n");
    Reach(x + TextWidth(text) + kMargin);
  }
  // A line of text of its own.
  void Line(absl::string_view text) {
    Text(kMargin, text);
    y += kLine;
  }
  void Rect(absl::string_view css_class, int64_t x, int64_t top, int64_t width, int64_t height,
            absl::string_view title) {
    absl::StrAppend(&body_, "<rect class=\"", css_class, "\" x=\"", x, "\" y=\"", top,
                    "\" width=\"", width, "\" height=\"", height, "\"><title>", Escape(title),
                    "</title></rect>\n");
    Reach(x + width + kMargin);
  }
  void Raw(absl::string_view element) { absl::StrAppend(&body_, element); }
  void Reach(int64_t width) { width_ = std::max(width_, width); }

  // `head`: patterns and style.
  std::string ToString(absl::string_view head) const {
    return absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ",
                        width_ + kMargin, " ", y, "\">\n", head, body_, "</svg>\n");
  }

 private:
  std::string body_;
  int64_t width_ = 0;
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_DRAW_SVG_WRITER_H_
