// The cells that neighbouring indices and neighbouring blocks share. Because one step along an axis
// moves a region by the same vector everywhere, none of these numbers depends on where the step is
// taken.
//
//   // stride 2, window 3: regions of neighbours share one cell
//   StepOverlap(p, 0)    // {shape [1], cells 1, kPartial, no gap}
#ifndef TESSERA_TESTING_PROJECTION_OVERLAP_H_
#define TESSERA_TESTING_PROJECTION_OVERLAP_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tessera/projection/map/projection.h"
#include "tessera/projection/partition/shards.h"

namespace tessera::projection {

const char* SharingName(Sharing s);  // "total", "none", "partial"

struct Overlap {
  ZPoint shape;   // of the shared box; 0 where the regions lie apart
  int64_t cells;  // their product
  Sharing sharing;
  bool gap;  // some row steps over cells that neither region has
};

// The regions at x and x + e_axis of a projection with unit steps. kBadDim, kOverflow,
// kNotSupported.
absl::StatusOr<Overlap> StepOverlap(const ZProjection& p, int axis);

// Positions of dimension `row` that the images of two neighbouring blocks along `axis` share, for
// blocks of extents `block`; independent of block[axis] as long as one image is at least that wide.
absl::StatusOr<int64_t> BlockHalo(const ZProjection& p, int row, int axis, const ZPoint& block);

// Regions along `axis` touch or overlap in dimension `row`: the bounding box of a block has no
// unread gaps.
bool IsDense(const ZProjection& p, int axis, int row);

}  // namespace tessera::projection

#endif  // TESSERA_TESTING_PROJECTION_OVERLAP_H_
