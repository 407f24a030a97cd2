// Whether the regions that indices write are apart from each other and fill the result: what makes
// a projection an output projection.
//
//   CheckInjective(p, zr[0:4])     // kNotInjective when all four indices write one cell
//   CheckCovering(p, zr[0:4], {4}) // kNotCovering when a cell of the result is written by none
#ifndef TESSERA_TESTING_PROJECTION_WRITE_CHECK_H_
#define TESSERA_TESTING_PROJECTION_WRITE_CHECK_H_

#include "absl/status/status.h"
#include "tessera/projection/map/projection.h"
#include "tessera/projection/signature/signature.h"

namespace tessera::projection {

// Regions of different indices of `index` are disjoint. Decided by rows of one axis where that is
// possible, else by counting: kTooLarge above the limit of exact sets.
absl::Status CheckInjective(const ZProjection& p, const ZRange& index);

// The regions of `index` are disjoint and together are exactly [0, shape).
absl::Status CheckCovering(const ZProjection& p, const ZRange& index, const ZPoint& shape);

// The rules that every signature keeps: ranks that fit, output projections disjoint and covering
// their results.
absl::Status CheckSignature(const Signature& s);

}  // namespace tessera::projection

#endif  // TESSERA_TESTING_PROJECTION_WRITE_CHECK_H_
