// The right half of a picture: memory, slot by slot, in rows of one tile.

#ifndef TESSERA_LAYOUT_DRAW_SVG_STRIP_H_
#define TESSERA_LAYOUT_DRAW_SVG_STRIP_H_

#include <cstdint>

#include "tessera/layout/draw/svg_writer.h"
#include "tessera/layout/index_map.h"

namespace tessera::layout {

// Draws from (x, y) to the right and down; the place it took. `bits` are those of one slot.
Box DrawStrip(const IndexMap& map, int64_t bits, double x, double y, SvgWriter* svg);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_DRAW_SVG_STRIP_H_
