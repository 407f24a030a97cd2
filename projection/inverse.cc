// Idea. A region meets [p, q) in row r when  p - w + 1 <= (A x + b)[r] <= q - 1, and lies inside
// when p <= (A x + b)[r] <= q - w: one pair of bounds for each row. A row with one axis is solved
// by two divisions, and solutions of different rows for the same axis are intersected: a product of
// intervals. Steps and dilations turn the interval of a row into a union over the window cells:
// cell k of the window is met when A x + b + step k is a multiple of the dilation in the right
// range, an arithmetic progression of x.
//
// Rows with several axes have no such product. Fixing the values of all their axes but one leaves
// rows of one axis; the fewest axes are fixed. Without enumeration: each axis is bounded by what
// the others leave it, round after round.
//
// Tested by projection_test.cc against enumeration.
#include "tessera/projection/inverse.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/projection/checked.h"
#include "tessera/projection/error.h"
#include "tessera/projection/image.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

constexpr int kRounds = 16;

struct Bounds {
  int64_t low, high;  // both inclusive
};

// The axes that move row r.
std::vector<int> AxesOfRow(const ZProjection& p, int r) {
  std::vector<int> axes;
  for (int c = 0; c < p.index_rank(); ++c) {
    if (p.Depends(r, c)) axes.push_back(c);
  }
  return axes;
}

// Bounds on (A x + b)[r] in units of the dilated tensor, for window cell `k` alone (touch) or for
// the window (inside).
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

// What row r leaves of axis c (its only one), or all of it when the row has no axis and holds.
// `fixed` is what axes with a known value add to the row.
class RowSolver {
 public:
  RowSolver(const ZProjection& p, const ZRange& target, InverseKind kind, int64_t limit)
      : p_(p), target_(target), kind_(kind), limit_(limit) {}

  absl::StatusOr<AxisSet> Solve(int r, int c, int64_t fixed, Interval x) const {
    bool lattice = p_.step()[r] != 1 || p_.dilate()[r] != 1;
    int64_t cells = lattice && kind_ == InverseKind::kTouch ? p_.shape()[r] : 1;
    if (cells > limit_)
      return MakeError(ErrorCode::kTooLarge, absl::StrCat("a window of ", cells, " cells"));
    AxisSet out;
    for (int64_t k = 0; k < cells; ++k) {
      TESSERA_ASSIGN_OR_RETURN(Bounds bounds, RowBounds(p_, target_, r, k, kind_));
      int64_t shift = FloorMod(FloorMod(p_.step()[r], p_.dilate()[r]) * k, p_.dilate()[r]);
      TESSERA_ASSIGN_OR_RETURN(
          AxisSet part, SolveRow(p_.matrix()(r, c), fixed, bounds, shift, p_.dilate()[r], x));
      TESSERA_ASSIGN_OR_RETURN(out, out.Union(part, limit_));
    }
    return out;
  }

  // A row without a free axis: does it hold?
  absl::StatusOr<bool> Holds(int r, int64_t value) const {
    bool lattice = p_.step()[r] != 1 || p_.dilate()[r] != 1;
    int64_t cells = lattice && kind_ == InverseKind::kTouch ? p_.shape()[r] : 1;
    for (int64_t k = 0; k < cells; ++k) {
      TESSERA_ASSIGN_OR_RETURN(Bounds bounds, RowBounds(p_, target_, r, k, kind_));
      bool on_lattice = FloorMod(value + p_.step()[r] * k, p_.dilate()[r]) == 0;
      if (bounds.low <= value && value <= bounds.high && on_lattice) return true;
    }
    return false;
  }

 private:
  const ZProjection& p_;
  const ZRange& target_;
  InverseKind kind_;
  int64_t limit_;
};

// The axes to enumerate: all but the most extended one of each row with several, and every axis
// under a group.
std::vector<int> AxesToFix(const ZProjection& p, const ZRange& range) {
  std::vector<bool> fixed(p.index_rank(), false);
  for (const GroupTerm& g : p.spec().groups) fixed[g.axis] = true;
  for (int r = 0; r < p.tensor_rank(); ++r) {
    int keep = -1;
    for (int c : AxesOfRow(p, r)) {
      if (!fixed[c] && (keep < 0 || range.extent(c) > range.extent(keep))) keep = c;
    }
    for (int c : AxesOfRow(p, r)) {
      if (c != keep) fixed[c] = true;
    }
  }
  std::vector<int> out;
  for (int c = 0; c < p.index_rank(); ++c) {
    if (fixed[c]) out.push_back(c);
  }
  return out;
}

// The solutions with the axes `fixed` at the start of `range` (which has extent 1 there).
absl::StatusOr<ZSet> SolveFixed(const ZProjection& p, const ZRange& range,
                                const std::vector<int>& fixed, const RowSolver& solver,
                                int64_t limit) {
  AxisSets axes;
  for (int c = 0; c < range.rank(); ++c)
    axes.push_back(AxisSet::OfInterval(range.start()[c], range.end()[c]));
  ZPoint at = ZPoint::Filled(range.rank(), 0);
  for (int c : fixed) at[c] = range.start()[c];
  TESSERA_ASSIGN_OR_RETURN(ZPoint base, p.Start(at));
  for (int r = 0; r < p.tensor_rank(); ++r) {
    int free = -1;
    for (int c : AxesOfRow(p, r)) {
      if (std::find(fixed.begin(), fixed.end(), c) == fixed.end()) free = c;
    }
    if (free < 0) {
      TESSERA_ASSIGN_OR_RETURN(bool holds, solver.Holds(r, base[r]));
      if (!holds) return ZSet(range.rank());
      continue;
    }
    TESSERA_ASSIGN_OR_RETURN(
        AxisSet row, solver.Solve(r, free, base[r], {range.start()[free], range.end()[free]}));
    TESSERA_ASSIGN_OR_RETURN(axes[free], axes[free].Intersect(row, limit));
  }
  return ZSet::OfAxes(std::move(axes));
}

absl::Status CheckArguments(const ZProjection& p, const ZRange& target, const ZRange& range,
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

// One round of tightening: every axis of every row against what the other axes of the row leave.
// False: no index.
absl::StatusOr<bool> TightenRow(const ZProjection& p, int r, Bounds bounds, ZPoint* low,
                                ZPoint* high) {
  for (int c = 0; c < p.index_rank(); ++c) {
    int64_t a = p.matrix()(r, c);
    if (a == 0) continue;
    Checked least = p.offset()[r], most = p.offset()[r];  // of the rest of the row
    for (int o = 0; o < p.index_rank(); ++o) {
      Checked first = Checked(p.matrix()(r, o)) * (*low)[o],
              last = Checked(p.matrix()(r, o)) * (*high)[o];
      if (o == c) continue;
      least += p.matrix()(r, o) > 0 ? first : last;
      most += p.matrix()(r, o) > 0 ? last : first;
    }
    Checked from = Checked(bounds.low) - most, to = Checked(bounds.high) - least;
    if (!from.ok() || !to.ok()) return OverflowError("the bounds of an inverse image");
    (*low)[c] = std::max((*low)[c], a > 0 ? CeilDiv(from.value(), a) : CeilDiv(to.value(), a));
    (*high)[c] = std::min((*high)[c], a > 0 ? FloorDiv(to.value(), a) : FloorDiv(from.value(), a));
    if ((*low)[c] > (*high)[c]) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<ZSet> InverseImage(const ZProjection& p, const ZRange& target, const ZRange& range,
                                  InverseKind kind, int64_t limit) {
  TESSERA_RETURN_IF_ERROR(CheckArguments(p, target, range, kind));
  if (range.empty() || target.empty()) return ZSet(range.rank());
  std::vector<int> fixed = AxesToFix(p, range);
  ZRange values;
  for (int c : fixed)
    values = values.Product(*ZRange::Create({range.start()[c]}, {range.end()[c]}));
  absl::StatusOr<int64_t> count = values.size();
  if (!count.ok() || *count > limit) {
    return MakeError(ErrorCode::kTooLarge,
                     absl::StrCat("an inverse image over more than ", limit, " values"));
  }
  RowSolver solver(p, target, kind, limit);
  if (fixed.empty()) return SolveFixed(p, range, fixed, solver, limit);
  std::vector<ZRange> boxes;
  absl::Status status;
  ForEachCell(values, [&](const ZPoint& v) {
    ZRange at = range;
    for (size_t i = 0; i < fixed.size(); ++i)
      at = at.WithDim(fixed[i], v[static_cast<int>(i)], v[static_cast<int>(i)] + 1);
    absl::StatusOr<ZSet> piece = SolveFixed(p, at, fixed, solver, limit);
    absl::StatusOr<std::vector<ZRange>> slabs = piece.ok() ? piece->Slabs(limit) : piece.status();
    if (slabs.ok()) boxes.insert(boxes.end(), slabs->begin(), slabs->end());
    status = slabs.status();
    return status.ok();
  });
  TESSERA_RETURN_IF_ERROR(status);
  return ZSet::OfBoxes(range.rank(), boxes, limit);
}

absl::StatusOr<std::optional<ZRange>> InverseBox(const ZProjection& p, const ZRange& target,
                                                 const ZRange& range, InverseKind kind) {
  TESSERA_RETURN_IF_ERROR(CheckArguments(p, target, range, kind));
  if (!p.IsPlain())
    return MakeError(ErrorCode::kNotSupported, absl::StrCat("the inverse box of ", p.ToString()));
  if (range.empty() || target.empty()) return std::optional<ZRange>();
  ZPoint low = range.start(), high = *range.InclusiveEnd();
  for (int round = 0; round < kRounds; ++round) {
    ZPoint before_low = low, before_high = high;
    for (int r = 0; r < p.tensor_rank(); ++r) {
      TESSERA_ASSIGN_OR_RETURN(Bounds bounds, RowBounds(p, target, r, 0, kind));
      bool fixed_row = AxesOfRow(p, r).empty();
      if (fixed_row && (p.offset()[r] < bounds.low || p.offset()[r] > bounds.high))
        return std::optional<ZRange>();
      TESSERA_ASSIGN_OR_RETURN(bool some, TightenRow(p, r, bounds, &low, &high));
      if (!some) return std::optional<ZRange>();
    }
    if (low == before_low && high == before_high) break;
  }
  for (int c = 0; c < high.rank(); ++c) ++high[c];
  TESSERA_ASSIGN_OR_RETURN(ZRange box, ZRange::Create(std::move(low), std::move(high)));
  return std::optional<ZRange>(std::move(box));
}

}  // namespace tessera::projection
