// The few SVG elements that pictures of layouts and projections use, as text.
//
//   SvgWriter svg;
//   svg.Rect({10, 10, 30, 20}, "class=\"cell\"", "title of the cell");
//   svg.Shape("circle", "cx=\"5\" cy=\"5\" r=\"2\"");
//   svg.Text(25, 24, "7", "class=\"number\"");
//   std::string file = svg.Finish(200, 100, "<style>..</style>\n");

#ifndef TESSERA_TEXT_FORMATS_SVG_WRITER_H_
#define TESSERA_TEXT_FORMATS_SVG_WRITER_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tessera::text {

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

class SvgWriter {
 public:
  // `attributes` are written as they are. A `title` is what a browser shows under the pointer.
  void Shape(absl::string_view element, absl::string_view attributes, absl::string_view title = "");
  void Rect(const Box& box, absl::string_view attributes, absl::string_view title = "");
  void Line(double x1, double y1, double x2, double y2, absl::string_view attributes);
  // `text` is escaped. The place is that of its baseline.
  void Text(double x, double y, absl::string_view text, absl::string_view attributes = "");

  // The whole file. `head`: styles and patterns.
  std::string Finish(double width, double height, absl::string_view head) const;

 private:
  std::string body_;
};

}  // namespace tessera::text

#endif  // TESSERA_TEXT_FORMATS_SVG_WRITER_H_
