// Idea. In dimension r a block of indices reaches b_r + sum over axes of A[r][c] * x_c + the
// window: a sum of arithmetic progressions. The axes are added to the window by ascending
// |A[r][c]|. Then the sum is an interval or a comb at almost every step (axis_set.cc). So the row
// costs as much as the rank, whatever the block.
//
// When no axis moves two rows, rows are independent and the image is their product:
//
//   (n, y, x) -> (n, 2y + {0,1,2}, 2x + {0,1,2})         three rows, three axes
//
// An axis that moves two rows ties them, as in the diagonal x -> (x, x). Its values are taken one
// by one; each leaves independent rows, and the products are united. That enumerates the tied axes
// only.
//
// The bounding box needs no set: row r takes the start of axis c where A[r][c] >= 0 for its least
// position and the end where it is negative. Each row chooses its own corner of the block. Two
// corners for all rows together would be wrong as soon as one row has coefficients of both signs.
//
// Cost: rank * axes for products. Tested by projection_test.cc against enumeration.
#include "tessera/projection/map/image.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// One summand of a row: stride * k for 0 <= k < count, beside the part that goes into the start.
struct Progression {
  int64_t stride, count;
};

struct RowParts {
  int64_t start;  // position of the first window cell at the first index of the block
  absl::InlinedVector<Progression, 6> terms;
};

absl::StatusOr<RowParts> PartsOfRow(const ZProjection& p, int r, const ZRange& block) {
  Checked start = p.offset()[r];
  RowParts parts;
  for (int c = 0; c < p.index_rank(); ++c) {
    if (int64_t a = p.matrix()(r, c); a != 0) {
      start += Checked(a) * block.start()[c];
      parts.terms.push_back({a, block.extent(c)});
    }
  }
  for (const GroupTerm& g : p.spec().groups) {
    if (g.row != r) continue;
    int64_t low = FloorDiv(block.start()[g.axis], g.div),
            high = FloorDiv(block.end()[g.axis] - 1, g.div);
    start += Checked(g.mul) * low;
    parts.terms.push_back({g.mul, high - low + 1});
  }
  if (!start.ok()) return OverflowError("the start of an image");
  parts.start = start.value();
  return parts;
}

// The first index of `block` whose region leaves the tensor in row r, as words for a message.
std::string FirstOffender(const ZProjection& p, const ZRange& block) {
  constexpr int kLookAt = 100000;
  int seen = 0;
  std::string words;
  ForEachCell(block, [&](const ZPoint& x) {
    if (++seen > kLookAt) return false;
    absl::StatusOr<ZSet> cells =
        ImageOfBlock(p, *ZRange::Create(x, *x.Plus(ZPoint::Filled(x.rank(), 1))), 64);
    if (ErrorCodeOf(cells.status()) == ErrorCode::kOutOfBounds)
      words = absl::StrCat(", first at index ", x.ToString());
    return words.empty();
  });
  return words;
}

// Positions of row r that are cells of the dilated tensor, before the policy.
absl::StatusOr<AxisSet> RowCells(const ZProjection& p, int r, const ZRange& block, int64_t limit) {
  TESSERA_ASSIGN_OR_RETURN(AxisSet set, RowPositions(p, r, block, limit));
  return set.Undilate(p.dilate()[r], limit);
}

absl::StatusOr<AxisSet> WithPolicy(const ZProjection& p, int r, const AxisSet& set, int64_t limit) {
  if (!p.spec().extent.has_value()) return set;
  return ApplyPolicy(p.spec().policy, set, (*p.spec().extent)[r], limit);
}

// Where one row has only holes there is no cell, and nothing that a policy could forbid.
absl::StatusOr<ZSet> ProductOfRows(const ZProjection& p, const ZRange& block, int64_t limit) {
  AxisSets rows;
  rows.reserve(p.tensor_rank());
  for (int r = 0; r < p.tensor_rank(); ++r) {
    TESSERA_ASSIGN_OR_RETURN(AxisSet row, RowCells(p, r, block, limit));
    if (row.empty()) return ZSet(p.tensor_rank());
    rows.push_back(std::move(row));
  }
  for (int r = 0; r < p.tensor_rank(); ++r) {
    TESSERA_ASSIGN_OR_RETURN(rows[r], WithPolicy(p, r, rows[r], limit));
  }
  return ZSet::OfAxes(std::move(rows));
}

// The block with its tied axes narrowed to one index.
ZRange At(const ZRange& block, const std::vector<int>& axes, const ZPoint& values) {
  ZRange out = block;
  for (size_t i = 0; i < axes.size(); ++i) {
    out = out.WithDim(axes[i], values[static_cast<int>(i)], values[static_cast<int>(i)] + 1);
  }
  return out;
}

absl::StatusOr<ZSet> UnionOverShared(const ZProjection& p, const ZRange& block,
                                     const std::vector<int>& shared, int64_t limit) {
  ZPoint low, high;
  for (int c : shared) {
    low.push_back(block.start()[c]);
    high.push_back(block.end()[c]);
  }
  TESSERA_ASSIGN_OR_RETURN(ZRange values, ZRange::Create(low, high));
  absl::StatusOr<int64_t> count = values.size();
  if (!count.ok() || *count > limit) {
    return MakeError(ErrorCode::kTooLarge,
                     absl::StrCat("an exact set of more than ", limit, " pieces"));
  }
  std::vector<ZRange> boxes;
  absl::Status status;
  ForEachCell(values, [&](const ZPoint& at) {
    absl::StatusOr<ZSet> piece = ProductOfRows(p, At(block, shared, at), limit);
    absl::StatusOr<std::vector<ZRange>> slabs = piece.ok() ? piece->Slabs(limit) : piece.status();
    if (slabs.ok()) boxes.insert(boxes.end(), slabs->begin(), slabs->end());
    status = slabs.status();
    return status.ok();
  });
  TESSERA_RETURN_IF_ERROR(status);
  return ZSet::OfBoxes(p.tensor_rank(), boxes, limit);
}

absl::Status CheckBlock(const ZProjection& p, const ZRange& block) {
  if (block.rank() == p.index_rank()) return absl::OkStatus();
  return MakeError(
      ErrorCode::kRankMismatch,
      absl::StrCat("block ", block.ToString(), " for an index space of rank ", p.index_rank()));
}

}  // namespace

absl::StatusOr<Interval> RowSpan(const ZProjection& p, int r, const ZRange& block) {
  TESSERA_ASSIGN_OR_RETURN(RowParts parts, PartsOfRow(p, r, block));
  Checked low = parts.start,
          high = Checked(parts.start) + Checked(p.step()[r]) * (p.shape()[r] - 1) + 1;
  for (Progression t : parts.terms) {
    Checked reach = Checked(t.stride) * (t.count - 1);
    (t.stride < 0 ? low : high) += reach;
  }
  if (!low.ok() || !high.ok()) return OverflowError("the bounds of an image");
  return Interval{low.value(), high.value()};
}

absl::StatusOr<AxisSet> RowPositions(const ZProjection& p, int r, const ZRange& block,
                                     int64_t limit) {
  TESSERA_RETURN_IF_ERROR(RowSpan(p, r, block).status());  // nothing below can overflow
  TESSERA_ASSIGN_OR_RETURN(RowParts parts, PartsOfRow(p, r, block));
  std::sort(parts.terms.begin(), parts.terms.end(),
            [](Progression a, Progression b) { return std::abs(a.stride) < std::abs(b.stride); });
  AxisSet set = AxisSet::OfComb({parts.start, p.step()[r], p.shape()[r], 1});
  for (Progression t : parts.terms) {
    TESSERA_ASSIGN_OR_RETURN(set, set.AddProgression(t.stride, t.count, limit));
  }
  return set;
}

absl::StatusOr<AxisSet> RowImage(const ZProjection& p, int r, const ZRange& block, int64_t limit) {
  TESSERA_ASSIGN_OR_RETURN(AxisSet set, RowCells(p, r, block, limit));
  return WithPolicy(p, r, set, limit);
}

std::vector<int> SharedAxes(const ZProjection& p, const ZRange& block) {
  std::vector<int> shared;
  for (int c = 0; c < p.index_rank(); ++c) {
    if (block.extent(c) <= 1) continue;
    int uses = 0;
    for (int r = 0; r < p.tensor_rank(); ++r) uses += p.matrix()(r, c) != 0;
    for (const GroupTerm& g : p.spec().groups) uses += g.axis == c && g.mul != 0;
    if (uses > 1) shared.push_back(c);
  }
  return shared;
}

absl::StatusOr<ZSet> ImageOfBlock(const ZProjection& p, const ZRange& block, int64_t limit) {
  TESSERA_RETURN_IF_ERROR(CheckBlock(p, block));
  if (block.empty()) return ZSet(p.tensor_rank());
  std::vector<int> shared = SharedAxes(p, block);
  absl::StatusOr<ZSet> cells =
      shared.empty() ? ProductOfRows(p, block, limit) : UnionOverShared(p, block, shared, limit);
  if (ErrorCodeOf(cells.status()) == ErrorCode::kOutOfBounds && *block.size() != 1) {
    return MakeError(ErrorCode::kOutOfBounds,
                     absl::StrCat(cells.status().message(), FirstOffender(p, block)));
  }
  return cells;
}

absl::StatusOr<std::optional<ZRange>> BoundingOfBlock(const ZProjection& p, const ZRange& block) {
  TESSERA_RETURN_IF_ERROR(CheckBlock(p, block));
  if (block.empty()) return std::optional<ZRange>();
  bool clipped =
      p.spec().extent.has_value() &&
      !ZRange::FromShape(*p.spec().extent).Contains(p.UnclippedBounding(block).value_or(ZRange()));
  // Tied rows lose cells together, to borders and to holes: then only the set knows the box. An
  // error of a policy is the set's too.
  if (clipped || !p.IsPlain()) {
    const bool may_fail = p.spec().policy == OutOfBoundsPolicy::kForbid ||
                          p.spec().policy == OutOfBoundsPolicy::kNegative;
    const bool independent = SharedAxes(p, block).empty() && !may_fail;
    if (!independent) {
      TESSERA_ASSIGN_OR_RETURN(ZSet cells, ImageOfBlock(p, block, kDefaultLimit));
      return cells.bounding();
    }
  }
  ZPoint low, high;
  for (int r = 0; r < p.tensor_rank(); ++r) {
    TESSERA_ASSIGN_OR_RETURN(AxisSet row, RowImage(p, r, block));
    if (row.empty()) return std::optional<ZRange>();
    low.push_back(row.first());
    high.push_back(row.end());
  }
  TESSERA_ASSIGN_OR_RETURN(ZRange box, ZRange::Create(std::move(low), std::move(high)));
  return std::optional<ZRange>(std::move(box));
}

}  // namespace tessera::projection
