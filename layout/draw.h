// Pictures of layouts for the terminal.
//
//   *Draw(*ParseShape("f32[3,5]{1,0:T(2,2)}")):
//
//   f32[3,5]{1,0:T(2,2)}
//   data 60 B, padded 96 B, waste 37.5 %
//   T(2,2): [3,5] pad [4,6] -> [2,3,2,2]
//   +-------+-------+-------+
//   |  0  1 |  4  5 |  8  . |
//   |  2  3 |  6  7 | 10  . |
//   +-------+-------+-------+
//   | 12 13 | 16 17 | 20  . |
//   |  .  . |  .  . |  .  . |
//   +-------+-------+-------+
//
// A number is the offset of that element, "." padding; borders are those of the first tile. Large
// arrays are cut to 64 rows, 64 columns and 8 slices.

#ifndef TESSERA_LAYOUT_DRAW_H_
#define TESSERA_LAYOUT_DRAW_H_

#include <string>

#include "absl/status/statusor.h"
#include "tessera/layout/shape.h"

namespace tessera::layout {

// Lines, each with its newline. A buffer is drawn as its array, a tuple as its array leaves with an
// empty line between them. Errors: those of IndexMap::Create.
absl::StatusOr<std::string> Draw(const Shape& shape);

// One line (without newline) in the order of memory: the index of each slot's element, or "." for
// padding. "0,0 0,1 1,0 1,1 0,2 ...". After 65,536 slots the rest is counted.
absl::StatusOr<std::string> DrawMemory(const Shape& array);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_DRAW_H_
