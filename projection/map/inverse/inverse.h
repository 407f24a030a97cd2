// Which indices read a given part of the tensor: the way back from cells to indices.
//
//   // windows of 3 centred on their cell: who reads cells 4 and 5?
//   InverseImage(p, zr[4:6], zr[0:10], InverseKind::kTouch)  // zr[3:7]
//   InverseImage(p, zr[4:6], zr[0:10], InverseKind::kInside) // nobody: they are 3 wide
#ifndef TESSERA_PROJECTION_MAP_INVERSE_INVERSE_H_
#define TESSERA_PROJECTION_MAP_INVERSE_INVERSE_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "tessera/projection/map/projection.h"

namespace tessera::projection {

enum class InverseKind {
  kTouch,   // the region meets the target
  kInside,  // the region lies in the target; unit steps and no dilation only (else kNotSupported)
};

// The indices of `range` whose region touches, or lies inside, the box `target` of cells. Exact.
// The policy plays no part: cells are met where the map puts them. Constant for rows of one axis;
// rows of several axes are enumerated over the fewest axes that leave one for each row, kTooLarge
// beyond `limit` values.
absl::StatusOr<ZSet> InverseImage(const ZProjection& p, const ZRange& target, const ZRange& range,
                                  InverseKind kind, int64_t limit = kDefaultLimit);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_MAP_INVERSE_INVERSE_H_
