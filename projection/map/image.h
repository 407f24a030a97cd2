// The parts of the image of a block: rows, one for each tensor dimension. Used through
// ZProjection::Image and Bounding; here for those who work row by row (counting reads, comparing
// devices).
//
//   // x -> 2x + 1 with a window of 1, over [0, 4):
//   *RowImage(p, 0, block)   // 1 3 5 7, a comb
#ifndef TESSERA_PROJECTION_MAP_IMAGE_H_
#define TESSERA_PROJECTION_MAP_IMAGE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/core/range.h"
#include "tessera/projection/map/projection.h"
#include "tessera/projection/set/axis_set.h"
#include "tessera/projection/set/set.h"

namespace tessera::projection {

// From the first to after the last position of row r over a block that is not empty, before
// dilation and policy.
absl::StatusOr<Interval> RowSpan(const ZProjection& p, int r, const ZRange& block);

// The positions of row r alone, over a block that is not empty. Before dilation and policy
// (RowPositions), and after (RowImage: cells of the tensor).
absl::StatusOr<AxisSet> RowPositions(const ZProjection& p, int r, const ZRange& block,
                                     int64_t limit = kDefaultLimit);
absl::StatusOr<AxisSet> RowImage(const ZProjection& p, int r, const ZRange& block,
                                 int64_t limit = kDefaultLimit);

// The axes of extent above 1 that tie rows together, or that move one row in two ways; the image is
// the product of its rows when there is none.
std::vector<int> SharedAxes(const ZProjection& p, const ZRange& block);

absl::StatusOr<ZSet> ImageOfBlock(const ZProjection& p, const ZRange& block, int64_t limit);
absl::StatusOr<std::optional<ZRange>> BoundingOfBlock(const ZProjection& p, const ZRange& block);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_MAP_IMAGE_H_
