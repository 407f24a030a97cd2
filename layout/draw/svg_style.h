// The look of pictures of layouts.

#ifndef TESSERA_LAYOUT_DRAW_SVG_STYLE_H_
#define TESSERA_LAYOUT_DRAW_SVG_STYLE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/text/formats/svg_writer.h"

namespace tessera::layout {

inline constexpr double kCellHeight = 22;
inline constexpr double kAxisWidth = 64;  // room left of a grid or a strip for its numbers

// Colours of text, lines and cells for light and dark: a <style> element.
absl::string_view SvgStyle();

// Attributes that give a cell the hue of tile `tile`, neighbours far apart; a reader without CSS
// variables gets the light colour. A negative number (a slot of no tile) gives "".
std::string HueOf(int64_t tile);

// Width of a cell that holds a text of so many characters.
double CellWidth(size_t characters);

// "1,2", or "()" for the element of a scalar.
std::string IndexText(absl::Span<const int64_t> index);

// The stroke across a padding cell.
void Hatch(const text::Box& box, text::SvgWriter* svg);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_DRAW_SVG_STYLE_H_
