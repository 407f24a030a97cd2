// Idea. A region meets [p, q) in row r when  p - w + 1 <= (A x + b)[r] <= q - 1. It lies inside
// when p <= (A x + b)[r] <= q - w. So there is one pair of bounds for each row. A row with one axis
// is solved by two divisions, and solutions of different rows for the same axis are intersected: a
// product of intervals. Steps and dilations turn the interval of a row into a union over the window
// cells. Cell k of the window is met when A x + b + step k is a multiple of the dilation in the
// right range: an arithmetic progression of x.
//
// Rows with several axes have no such product. Fixing the values of all their axes but one leaves
// rows of one axis; the fewest axes are fixed. Without enumeration: each axis is bounded by what
// the others leave it, round after round.
//
// Tested by projection_test.cc against enumeration.
#include "tessera/projection/map/inverse/inverse.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/map/inverse/inverse_rows.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

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

}  // namespace

absl::StatusOr<ZSet> InverseImage(const ZProjection& p, const ZRange& target, const ZRange& range,
                                  InverseKind kind, int64_t limit) {
  TESSERA_RETURN_IF_ERROR(CheckInverse(p, target, range, kind));
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

}  // namespace tessera::projection
