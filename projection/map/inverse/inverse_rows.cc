#include "tessera/projection/map/inverse/inverse_rows.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// { x in [first, end) : low <= a x + b <= high, a x + b + shift a multiple of `modulus` }, a != 0.
absl::StatusOr<AxisSet> SolveRow(int64_t a, int64_t b, Bounds bounds, int64_t shift,
                                 int64_t modulus, Interval x) {
  Checked low = Checked(bounds.low) - b, high = Checked(bounds.high) - b;
  if (!low.ok() || !high.ok()) return OverflowError("the bounds of an inverse image");
  int64_t from = a > 0 ? CeilDiv(low.value(), a) : CeilDiv(high.value(), a);
  int64_t to = a > 0 ? FloorDiv(high.value(), a) : FloorDiv(low.value(), a);
  from = std::max(from, x.first);
  to = std::min(to, x.end - 1);
  if (from > to) return AxisSet();
  if (modulus == 1) return AxisSet::OfInterval(from, to + 1);
  int64_t period = modulus / std::gcd(std::abs(a), modulus);
  for (int64_t v = from; v <= to && v < from + period; ++v) {
    if (FloorMod(FloorMod(a, modulus) * FloorMod(v, modulus) + FloorMod(b, modulus) + shift,
                 modulus) == 0) {
      return AxisSet::OfComb({v, period, (to - v) / period + 1, 1});
    }
  }
  return AxisSet();
}

}  // namespace

std::vector<int> AxesOfRow(const ZProjection& p, int r) {
  std::vector<int> axes;
  for (int c = 0; c < p.index_rank(); ++c) {
    if (p.Depends(r, c)) axes.push_back(c);
  }
  return axes;
}

absl::StatusOr<Bounds> RowBounds(const ZProjection& p, const ZRange& target, int r, int64_t k,
                                 InverseKind kind) {
  Checked dilate = p.dilate()[r], low = Checked(target.start()[r]) * dilate,
          high = (Checked(target.end()[r]) - 1) * dilate;
  Checked at = Checked(p.step()[r]) * k;
  if (kind == InverseKind::kInside) {
    high -= p.shape()[r] - 1;
  } else if (p.step()[r] == 1 && p.dilate()[r] == 1) {
    low -= p.shape()[r] - 1;  // the whole window at once
  } else {
    low -= at;
    high -= at;
  }
  if (!low.ok() || !high.ok()) return OverflowError("the bounds of an inverse image");
  return Bounds{low.value(), high.value()};
}

int64_t RowSolver::CellsOfRow(int r) const {
  const bool lattice = p_.step()[r] != 1 || p_.dilate()[r] != 1;
  return lattice && kind_ == InverseKind::kTouch ? p_.shape()[r] : 1;
}

absl::StatusOr<AxisSet> RowSolver::Solve(int r, int c, int64_t fixed, Interval x) const {
  const int64_t cells = CellsOfRow(r);
  if (cells > limit_)
    return MakeError(ErrorCode::kTooLarge, absl::StrCat("a window of ", cells, " cells"));
  AxisSet out;
  for (int64_t k = 0; k < cells; ++k) {
    TESSERA_ASSIGN_OR_RETURN(Bounds bounds, RowBounds(p_, target_, r, k, kind_));
    int64_t shift = FloorMod(FloorMod(p_.step()[r], p_.dilate()[r]) * k, p_.dilate()[r]);
    TESSERA_ASSIGN_OR_RETURN(AxisSet part,
                             SolveRow(p_.matrix()(r, c), fixed, bounds, shift, p_.dilate()[r], x));
    TESSERA_ASSIGN_OR_RETURN(out, out.Union(part, limit_));
  }
  return out;
}

absl::StatusOr<bool> RowSolver::Holds(int r, int64_t value) const {
  const int64_t cells = CellsOfRow(r);
  for (int64_t k = 0; k < cells; ++k) {
    TESSERA_ASSIGN_OR_RETURN(Bounds bounds, RowBounds(p_, target_, r, k, kind_));
    bool on_lattice = FloorMod(value + p_.step()[r] * k, p_.dilate()[r]) == 0;
    if (bounds.low <= value && value <= bounds.high && on_lattice) return true;
  }
  return false;
}

absl::Status CheckInverse(const ZProjection& p, const ZRange& target, const ZRange& range,
                          InverseKind kind) {
  if (target.rank() != p.tensor_rank() || range.rank() != p.index_rank()) {
    return MakeError(ErrorCode::kRankMismatch,
                     absl::StrCat("target ", target.ToString(), " and indices ", range.ToString(),
                                  " for a map of ", p.ToString()));
  }
  bool unit = p.step() == ZPoint::Filled(p.tensor_rank(), 1) &&
              p.dilate() == ZPoint::Filled(p.tensor_rank(), 1);
  if (kind == InverseKind::kTouch || unit) return absl::OkStatus();
  return MakeError(ErrorCode::kNotSupported, "regions with steps or dilation inside a box");
}

}  // namespace tessera::projection
