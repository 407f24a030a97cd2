#include "tessera/layout/draw/svg_writer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace tessera::layout {

void SvgWriter::Rect(const Box& box, absl::string_view attributes, absl::string_view title) {
  absl::StrAppend(&body_, "<rect x=\"", box.x, "\" y=\"", box.y, "\" width=\"", box.width,
                  "\" height=\"", box.height, "\" ", attributes);
  if (title.empty()) {
    absl::StrAppend(&body_, "/>\n");
  } else {
    absl::StrAppend(&body_, "><title>", EscapeXml(title), "</title></rect>\n");
  }
}

void SvgWriter::Line(double x1, double y1, double x2, double y2, absl::string_view attributes) {
  absl::StrAppend(&body_, "<line x1=\"", x1, "\" y1=\"", y1, "\" x2=\"", x2, "\" y2=\"");
  absl::StrAppend(&body_, y2, "\" ", attributes, "/>\n");
}

void SvgWriter::Text(double x, double y, absl::string_view text, absl::string_view attributes) {
  absl::StrAppend(&body_, "<text x=\"", x, "\" y=\"", y, "\" ", attributes, ">", EscapeXml(text),
                  "</text>\n");
}

std::string SvgWriter::Finish(double width, double height, absl::string_view style) const {
  return absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"",
                      height, "\" viewBox=\"0 0 ", width, " ", height, "\">\n<style>\n", style,
                      "</style>\n", body_, "</svg>\n");
}

std::string EscapeXml(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

}  // namespace tessera::layout
