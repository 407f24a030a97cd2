#include "tessera/text/formats/svg_writer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace tessera::text {
namespace {

std::string Escape(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

std::string Element(absl::string_view attributes, const SvgPicture& picture) {
  const double width = picture.width, height = picture.height;
  return absl::StrCat("<svg ", attributes, " width=\"", width, "\" height=\"", height,
                      "\" viewBox=\"0 0 ", width, " ", height, "\">\n", picture.inside, "</svg>\n");
}

}  // namespace

void SvgWriter::Shape(absl::string_view element, absl::string_view attributes,
                      absl::string_view title) {
  absl::StrAppend(&body_, "<", element, " ", attributes);
  if (title.empty()) {
    absl::StrAppend(&body_, "/>\n");
  } else {
    absl::StrAppend(&body_, "><title>", Escape(title), "</title></", element, ">\n");
  }
}

void SvgWriter::Rect(const Box& box, absl::string_view attributes, absl::string_view title) {
  Shape("rect",
        absl::StrCat("x=\"", box.x, "\" y=\"", box.y, "\" width=\"", box.width, "\" height=\"",
                     box.height, "\" ", attributes),
        title);
}

void SvgWriter::Line(double x1, double y1, double x2, double y2, absl::string_view attributes) {
  Shape("line", absl::StrCat("x1=\"", x1, "\" y1=\"", y1, "\" x2=\"", x2, "\" y2=\"", y2, "\" ",
                             attributes));
}

void SvgWriter::Text(double x, double y, absl::string_view text, absl::string_view attributes) {
  absl::StrAppend(&body_, "<text x=\"", x, "\" y=\"", y, "\"", attributes.empty() ? "" : " ",
                  attributes, ">", Escape(text), "</text>\n");
}

void SvgWriter::Picture(double x, double y, const SvgPicture& picture) {
  absl::StrAppend(&body_, Element(absl::StrCat("x=\"", x, "\" y=\"", y, "\""), picture));
}

SvgPicture SvgWriter::Finish(double width, double height, absl::string_view head) const {
  return {width, height, absl::StrCat(head, body_)};
}

std::string SvgFile(const SvgPicture& picture) {
  return Element("xmlns=\"http://www.w3.org/2000/svg\"", picture);
}

}  // namespace tessera::text
