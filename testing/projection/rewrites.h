// Mechanical rewrites of a projection that keep its meaning: turning an index axis round, and
// turning a tensor dimension round. Both are exact because offsets are kept in parts (offsets.h).
//
//   // a centred window of 3 walking forward becomes one walking backward; it stays centred:
//   // over an axis of 8, A = 1, relative = -1 becomes A = -1, bounds = 7, relative = -1
//   ReverseIndexAxis(p, 0, 8)
#ifndef TESSERA_TESTING_PROJECTION_REWRITES_H_
#define TESSERA_TESTING_PROJECTION_REWRITES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tessera/projection/map/projection.h"

namespace tessera::projection {

// x[axis] -> extent - 1 - x[axis]: the column is negated and `bounds` brings the walk back. Groups
// on the axis: kNotSupported.
absl::StatusOr<ZProjection> ReverseIndexAxis(const ZProjection& p, int axis, int64_t extent);

// t -> extent - 1 - t in dimension `row` of the tensor: the row is negated, `bounds` takes the
// difference, and the window is laid out from its other end. Dilation other than 1 in the row and
// groups on it: kNotSupported.
absl::StatusOr<ZProjection> FlipTensorDim(const ZProjection& p, int row, int64_t extent);

}  // namespace tessera::projection

#endif  // TESSERA_TESTING_PROJECTION_REWRITES_H_
