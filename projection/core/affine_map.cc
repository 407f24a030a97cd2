#include "tessera/projection/core/affine_map.h"

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {

ZAffineMap::ZAffineMap(ZMatrix matrix) : a_(std::move(matrix)), b_(ZPoint::Filled(a_.rows(), 0)) {}

absl::StatusOr<ZAffineMap> ZAffineMap::Create(ZMatrix matrix, ZPoint offset) {
  if (offset.rank() != matrix.rows()) {
    return MakeError(
        ErrorCode::kRankMismatch,
        absl::StrCat("offset ", offset.ToString(), " for a matrix of ", matrix.rows(), " rows"));
  }
  return ZAffineMap(std::move(matrix), std::move(offset));
}

absl::StatusOr<ZPoint> ZAffineMap::Apply(const ZPoint& x) const {
  TESSERA_ASSIGN_OR_RETURN(ZPoint y, a_.Apply(x));
  return y.Plus(b_);
}

std::string ZAffineMap::ToString() const {
  std::string out = absl::StrCat("λx.", a_.ToString(), "⋅x");
  if (b_ != ZPoint::Filled(b_.rank(), 0)) absl::StrAppend(&out, " + ", b_.ToJson());
  return out;
}

}  // namespace tessera::projection
