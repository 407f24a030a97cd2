// Regions in the terminal.
//
//   DrawRegion("lhs", {6, 8}, cells)
//
//   lhs ‖6, 8‖  12 cells of [1:5, 0:5], 60% of the box used
//     # # / # # . . .        # read    / in the box, not read    . the rest
#ifndef TESSERA_PROJECTION_DRAW_PICTURE_H_
#define TESSERA_PROJECTION_DRAW_PICTURE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/projection/map/projection.h"
#include "tessera/projection/set/set.h"

namespace tessera::projection {

// At most 100 columns; larger tensors are scaled by powers of two, and the picture says so. '+' is
// a drawn cell of which a part is read.
std::string DrawRegion(absl::string_view name, const ZPoint& shape, const ZSet& cells);

// "[1 0 | -1 | 3]" a row: matrix, offset, shape. A projection without rows or columns is "[−]" with
// its size and shape.
std::string DrawMatrix(const ZProjection& p);

// "center at [2, 3]" for each mark of the projection, where it stands for this index.
std::vector<std::string> MarkTexts(const ZProjection& p, const ZPoint& index);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_DRAW_PICTURE_H_
