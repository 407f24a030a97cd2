// The few SVG elements that pictures of layouts use, as text.
//
//   SvgWriter svg;
//   svg.Rect({10, 10, 30, 20}, "class=\"cell\"", "title of the cell");
//   svg.Text(25, 24, "7", "class=\"number\"");
//   std::string file = svg.Finish(200, 100, "body of the <style> element");

#ifndef TESSERA_LAYOUT_DRAW_SVG_WRITER_H_
#define TESSERA_LAYOUT_DRAW_SVG_WRITER_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tessera::layout {

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

class SvgWriter {
 public:
  // `attributes` are written as they are. A `title` is what a browser shows under the pointer.
  void Rect(const Box& box, absl::string_view attributes, absl::string_view title = "");
  void Line(double x1, double y1, double x2, double y2, absl::string_view attributes);
  // `text` is escaped. The place is that of its baseline.
  void Text(double x, double y, absl::string_view text, absl::string_view attributes);

  // The whole file.
  std::string Finish(double width, double height, absl::string_view style) const;

 private:
  std::string body_;
};

// `text` with &, <, > and quotes made harmless.
std::string EscapeXml(absl::string_view text);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_DRAW_SVG_WRITER_H_
