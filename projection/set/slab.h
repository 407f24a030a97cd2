// The canonical form of a set of cells as boxes. Cut dimension 0 into maximal runs of positions
// whose cross sections are equal and not empty; each run, in ascending order, contributes run x
// (slab boxes of the cross section). The boxes are disjoint, sorted by their starts, and the same
// for equal sets; they are not always the fewest possible.
//
//   zr[0:2, 0:2] and zr[1:3, 1:3]     zr[0:1, 0:2] zr[1:2, 0:3] zr[2:3, 1:3]
#ifndef TESSERA_PROJECTION_SET_SLAB_H_
#define TESSERA_PROJECTION_SET_SLAB_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/projection/core/range.h"

namespace tessera::projection {

enum class SetOp { kUnion, kIntersect, kSubtract };

// (union of the boxes of a) OP (union of the boxes of b) as slab boxes. The boxes of each list have
// rank `rank` and may overlap. kTooLarge above `limit` boxes. Cost: cuts x boxes for each
// dimension.
absl::StatusOr<std::vector<ZRange>> CombineSlabs(int rank, absl::Span<const ZRange> a,
                                                 absl::Span<const ZRange> b, SetOp op,
                                                 int64_t limit);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SET_SLAB_H_
