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

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_DRAW_PICTURE_H_
