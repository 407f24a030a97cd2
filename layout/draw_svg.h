// Pictures of layouts as SVG files.
//
//   StatusOr<std::string> file = DrawSvg(*ParseShape("f32[3,5]{1,0:T(2,2)}"));
//
// Left the array, one grid for each slice, a colour for each tile of the first level, offsets in
// the cells, padding hatched; tiles of the second level outlined in red. Right the memory: the same
// tiles in the same colours, one after the other, the index of its element in each slot. Arrays of
// more than 4096 slots are drawn tile by tile, shaded by their padding, with a bar that says where
// the bytes go. The file needs no script and no other file, and follows the reader's dark mode.
//
// A program can read the strip back: each slot is a <rect class="cell"> (or "cell pad") with
// data-offset and data-index. The grid's are "gcell" and "gpad".

#ifndef TESSERA_LAYOUT_DRAW_SVG_H_
#define TESSERA_LAYOUT_DRAW_SVG_H_

#include <string>

#include "absl/status/statusor.h"
#include "tessera/layout/shape.h"
#include "tessera/text/formats/svg_writer.h"

namespace tessera::layout {

inline constexpr int64_t kMaxSvgCells = 4096;

// `array` is an array or a buffer. Errors: those of IndexMap::Create.
absl::StatusOr<std::string> DrawSvg(const Shape& array);

// The same, as a part of a larger picture.
absl::StatusOr<text::SvgPicture> DrawSvgPicture(const Shape& array);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_DRAW_SVG_H_
