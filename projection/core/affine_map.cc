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

absl::StatusOr<ZAffineMap> ZAffineMap::Translate(const ZPoint& d) const {
  TESSERA_ASSIGN_OR_RETURN(ZPoint b, b_.Plus(d));
  return ZAffineMap(a_, std::move(b));
}

absl::StatusOr<ZAffineMap> ZAffineMap::PreTranslate(const ZPoint& d) const {
  TESSERA_ASSIGN_OR_RETURN(ZPoint moved, a_.Apply(d));
  return Translate(moved);
}

absl::StatusOr<ZAffineMap> ZAffineMap::PermuteInput(absl::Span<const int> p) const {
  TESSERA_ASSIGN_OR_RETURN(ZMatrix a, a_.PermuteInput(p));
  return ZAffineMap(std::move(a), b_);
}

absl::StatusOr<ZAffineMap> ZAffineMap::PermuteOutput(absl::Span<const int> p) const {
  TESSERA_ASSIGN_OR_RETURN(ZMatrix a, a_.PermuteOutput(p));
  TESSERA_ASSIGN_OR_RETURN(ZPoint b, b_.Permute(p));
  return ZAffineMap(std::move(a), std::move(b));
}

absl::StatusOr<ZAffineMap> ZAffineMap::Then(const ZAffineMap& g) const {
  TESSERA_ASSIGN_OR_RETURN(ZMatrix a, g.a_.Times(a_));
  TESSERA_ASSIGN_OR_RETURN(ZPoint b, g.Apply(b_));
  return ZAffineMap(std::move(a), std::move(b));
}

ZAffineMap ZAffineMap::WithPrefix(int k) const {
  ZPoint b = ZPoint::Filled(k, 0);
  for (int64_t value : b_) b.push_back(value);
  return ZAffineMap(a_.WithPrefix(k), std::move(b));
}

absl::StatusOr<ZPoint> ZAffineMap::BroadcastApply(const ZPoint& x) const {
  int extra = x.rank() - input_rank();
  if (extra < 0) return Apply(x);  // says what is wrong
  return WithPrefix(extra).Apply(x);
}

std::string ZAffineMap::ToString() const {
  std::string out = absl::StrCat("λx.", a_.ToString(), "⋅x");
  if (b_ != ZPoint::Filled(b_.rank(), 0)) absl::StrAppend(&out, " + ", b_.ToJson());
  return out;
}

}  // namespace tessera::projection
