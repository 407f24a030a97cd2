// The left half of a picture: the array as grids of coloured cells, slice under slice.

#ifndef TESSERA_LAYOUT_DRAW_SVG_GRID_H_
#define TESSERA_LAYOUT_DRAW_SVG_GRID_H_

#include "tessera/layout/draw/drawn_space.h"
#include "tessera/text/formats/svg_writer.h"

namespace tessera::layout {

// Draws from (x, y) to the right and down; the place it took.
text::Box DrawGrids(const DrawnSpace& space, double x, double y, text::SvgWriter* svg);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_DRAW_SVG_GRID_H_
