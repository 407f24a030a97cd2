// The picture of an array with too many slots to draw each: tiles shaded by their padding, and a
// bar that says where the bytes go.

#ifndef TESSERA_LAYOUT_DRAW_SVG_LARGE_H_
#define TESSERA_LAYOUT_DRAW_SVG_LARGE_H_

#include "tessera/layout/draw/drawn_space.h"
#include "tessera/layout/sizes.h"
#include "tessera/text/formats/svg_writer.h"

namespace tessera::layout {

// Draws the first slice of `space` from (x, y) on, at most 64 by 64 tiles; the place it took.
text::Box DrawTiles(const DrawnSpace& space, const MemorySizes& sizes, double x, double y,
                    text::SvgWriter* svg);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_DRAW_SVG_LARGE_H_
