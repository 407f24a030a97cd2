// The parts of a picture. Each draws from (x, y) to the right and down, and returns the place it took.

#ifndef TESSERA_LAYOUT_DRAW_SVG_PARTS_H_
#define TESSERA_LAYOUT_DRAW_SVG_PARTS_H_

#include <cstdint>

#include "tessera/layout/draw/drawn_space.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/sizes.h"
#include "tessera/text/formats/svg_writer.h"

namespace tessera::layout {

// The left half: the array as grids of coloured cells, slice under slice.
text::Box DrawGrids(const DrawnSpace& space, double x, double y, text::SvgWriter* svg);

// The right half: memory, slot by slot, in rows of one tile. `bits` are those of one slot.
text::Box DrawStrip(const IndexMap& map, int64_t bits, double x, double y, text::SvgWriter* svg);

// Of an array with too many slots to draw each: tiles of the first slice, at most 64 by 64, shaded by
// their padding, and a bar that says where the bytes go.
text::Box DrawTiles(const DrawnSpace& space, const MemorySizes& sizes, double x, double y,
                    text::SvgWriter* svg);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_DRAW_SVG_PARTS_H_
