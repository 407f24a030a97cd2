// A box around the inverse image.
//
//   InverseBox(p, zr[4:6], zr[0:10], InverseKind::kTouch)    // zr[3:7]
#ifndef TESSERA_TESTING_PROJECTION_INVERSE_BOX_H_
#define TESSERA_TESTING_PROJECTION_INVERSE_BOX_H_

#include <optional>

#include "absl/status/statusor.h"
#include "tessera/projection/map/inverse/inverse.h"

namespace tessera::projection {

// A box that contains InverseImage, without enumeration: exact when no row has several axes, else
// tightened axis by axis with the interval arithmetic of the others. None when there is no such
// index. Unit steps, no dilation, no groups.
absl::StatusOr<std::optional<ZRange>> InverseBox(const ZProjection& p, const ZRange& target,
                                                 const ZRange& range, InverseKind kind);

}  // namespace tessera::projection

#endif  // TESSERA_TESTING_PROJECTION_INVERSE_BOX_H_
