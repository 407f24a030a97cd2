// Idea. A read is a pair (index, window cell) that lands on a cell. Rows are independent when no
// two of them follow one axis: then pairs multiply, and a row that follows one axis is counted tap
// by tap. Tap k of a row lands at a x + c. The x whose place is inside are an interval. Those whose
// place is a multiple of the dilation come back with period dilation / gcd(a, dilation):
//
//   stride 2, dilation 3: places 0, 2, 4, 6 ..; multiples of 3 at x = 0, 3, 6: period 3
//
// Cost: one division a tap, however long the block; rows that share axes are enumerated, up to the
// limit. Tested by projection_test.cc (CountsAgreeWithEnumeration) and the cases of policies.
#include "tessera/projection/map/reads.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/map/image.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// x in [first, end) with a x + c a multiple of `dilate` in [0, bound), a != 0.
int64_t CountOneTap(int64_t a, int64_t c, int64_t dilate, int64_t bound, int64_t first,
                    int64_t end) {
  int64_t from = a > 0 ? CeilDiv(-c, a) : CeilDiv(bound - 1 - c, a);
  int64_t to = a > 0 ? FloorDiv(bound - 1 - c, a) : FloorDiv(-c, a);
  from = std::max(from, first);
  to = std::min(to, end - 1);
  if (from > to) return 0;
  int64_t period = dilate / std::gcd(std::abs(a), dilate);
  for (int64_t x = from; x <= to && x < from + period; ++x) {
    if (FloorMod(a * x + c, dilate) == 0) return (to - x) / period + 1;
  }
  return 0;
}

// Pairs of one row over a block, when at most one axis moves it. -1: several axes do.
absl::StatusOr<int64_t> CountRow(const ZProjection& p, int r, const ZRange& block) {
  int axis = -1;
  int64_t fixed = p.offset()[r];
  for (int c = 0; c < p.index_rank(); ++c) {
    if (!p.Depends(r, c)) continue;
    if (block.extent(c) == 1) {
      fixed += p.matrix()(r, c) * block.start()[c];
    } else if (axis >= 0) {
      return -1;
    } else {
      axis = c;
    }
  }
  int64_t extent = (*p.spec().extent)[r];
  if (axis >= 0) {
    return CountTaps(p.matrix()(r, axis), fixed, p.step()[r], p.shape()[r], p.dilate()[r], extent,
                     block.start()[axis], block.end()[axis]);
  }
  return CountTaps(1, fixed, p.step()[r], p.shape()[r], p.dilate()[r], extent, 0, 1);
}

// All pairs, by going through the indices.
absl::StatusOr<int64_t> CountByEnumeration(const ZProjection& p, const ZRange& block,
                                           int64_t limit) {
  absl::StatusOr<int64_t> size = block.size();
  if (!size.ok() || *size > limit)
    return MakeError(ErrorCode::kTooLarge, absl::StrCat("reads of ", block.ToString()));
  Checked total = 0;
  absl::Status status;
  ForEachCell(block, [&](const ZPoint& x) {
    Checked here = 1;
    absl::StatusOr<ZPoint> start = p.Start(x);
    status = start.status();
    for (int r = 0; status.ok() && r < p.tensor_rank(); ++r) {
      absl::StatusOr<int64_t> row = CountTaps(1, (*start)[r], p.step()[r], p.shape()[r],
                                              p.dilate()[r], (*p.spec().extent)[r], 0, 1);
      status = row.status();
      if (status.ok()) here *= *row;
    }
    total += here;
    return status.ok();
  });
  TESSERA_RETURN_IF_ERROR(status);
  if (!total.ok()) return OverflowError("a number of reads");
  return total.value();
}

absl::StatusOr<int64_t> CountInside(const ZProjection& p, const ZRange& block, int64_t limit) {
  Checked total = 1;
  bool independent = SharedAxes(p, block).empty() && p.spec().groups.empty();
  for (int r = 0; independent && r < p.tensor_rank(); ++r) {
    TESSERA_ASSIGN_OR_RETURN(int64_t row, CountRow(p, r, block));
    independent = row >= 0;
    total *= row;
  }
  if (!independent) return CountByEnumeration(p, block, limit);
  for (int c = 0; c < block.rank(); ++c) {
    bool moves = false;
    for (int r = 0; r < p.tensor_rank(); ++r) moves |= p.Depends(r, c);
    if (!moves) total *= block.extent(c);
  }
  if (!total.ok()) return OverflowError("a number of reads");
  return total.value();
}

}  // namespace

absl::StatusOr<int64_t> CountTaps(int64_t a, int64_t b, int64_t step, int64_t count, int64_t dilate,
                                  int64_t extent, int64_t first, int64_t end) {
  Checked bound = Checked(extent) * dilate;
  Checked reach = Checked(a).Abs() * Checked(std::max(std::abs(first), std::abs(end))) +
                  Checked(b).Abs() + Checked(step) * count + bound;
  if (!reach.ok()) return OverflowError("a tap of a window");
  Checked total = 0;
  for (int64_t k = 0; k < count; ++k)
    total += CountOneTap(a, b + step * k, dilate, bound.value(), first, end);
  if (!total.ok()) return OverflowError("a number of taps");
  return total.value();
}

absl::StatusOr<ReadCount> CountReads(const ZProjection& p, const ZRange& block, int64_t limit) {
  if (block.empty()) return ReadCount{0, 0};
  Checked pairs = 1;
  TESSERA_ASSIGN_OR_RETURN(int64_t indices, block.size());
  pairs *= indices;
  for (int64_t w : p.shape()) pairs *= w;
  if (!pairs.ok()) return OverflowError("a number of reads");
  OutOfBoundsPolicy policy = p.spec().policy;
  if (!p.spec().extent.has_value() || policy == OutOfBoundsPolicy::kTorus ||
      policy == OutOfBoundsPolicy::kClamp) {
    return ReadCount{pairs.value(), 0};
  }
  if (policy == OutOfBoundsPolicy::kForbid || policy == OutOfBoundsPolicy::kNegative) {
    TESSERA_RETURN_IF_ERROR(p.Image(block).status());
    return ReadCount{pairs.value(), 0};
  }
  TESSERA_ASSIGN_OR_RETURN(int64_t inside, CountInside(p, block, limit));
  return ReadCount{inside, policy == OutOfBoundsPolicy::kPad ? pairs.value() - inside : 0};
}

}  // namespace tessera::projection
