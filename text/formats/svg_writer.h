// The few SVG elements that pictures of layouts and projections use, as text.
//
//   SvgWriter svg;
//   svg.Rect({10, 10, 30, 20}, "class=\"cell\"", "title of the cell");
//   svg.Shape("circle", "cx=\"5\" cy=\"5\" r=\"2\"");
//   svg.Text(25, 24, "7", "class=\"number\"");
//   std::string file = SvgFile(svg.Finish(200, 100, "<style>..</style>\n"));
//   page.Picture(0, 40, svg.Finish(200, 100, ""));   // as a part of another one

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

// A finished picture, for a file of its own or for a part of another picture.
struct SvgPicture {
  double width = 0;
  double height = 0;
  std::string inside;
};

class SvgWriter {
 public:
  // `attributes` are written as they are. A `title` is what a browser shows under the pointer.
  void Shape(absl::string_view element, absl::string_view attributes, absl::string_view title = "");
  void Rect(const Box& box, absl::string_view attributes, absl::string_view title = "");
  void Line(double x1, double y1, double x2, double y2, absl::string_view attributes);
  // `text` is escaped. The place is that of its baseline.
  void Text(double x, double y, absl::string_view text, absl::string_view attributes = "");

  // A picture whose upper left corner lies there.
  void Picture(double x, double y, const SvgPicture& picture);

  // `head`: styles and patterns.
  SvgPicture Finish(double width, double height, absl::string_view head) const;

 private:
  std::string body_;
};

// The whole file.
std::string SvgFile(const SvgPicture& picture);

}  // namespace tessera::text

#endif  // TESSERA_TEXT_FORMATS_SVG_WRITER_H_
