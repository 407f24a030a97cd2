// The right half of a picture: memory, slot by slot, in rows of one tile.

#ifndef TESSERA_LAYOUT_DRAW_SVG_STRIP_H_
#define TESSERA_LAYOUT_DRAW_SVG_STRIP_H_

#include <cstdint>

#include "tessera/layout/index_map.h"
#include "tessera/text/formats/svg_writer.h"

namespace tessera::layout {

// Draws from (x, y) to the right and down; the place it took. `bits` are those of one slot.
text::Box DrawStrip(const IndexMap& map, int64_t bits, double x, double y, text::SvgWriter* svg);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_DRAW_SVG_STRIP_H_
