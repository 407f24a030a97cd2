// A box around the inverse image without enumeration: each axis is bounded by what the others leave
// it, round after round, until nothing changes. Cost: rounds * rows * axes^2. Tested by
// projection_test.cc against enumeration.
#include "tessera/testing/projection/inverse_box.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/map/inverse/inverse_rows.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

constexpr int kRounds = 16;

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

absl::StatusOr<std::optional<ZRange>> InverseBox(const ZProjection& p, const ZRange& target,
                                                 const ZRange& range, InverseKind kind) {
  TESSERA_RETURN_IF_ERROR(CheckInverse(p, target, range, kind));
  if (!p.IsPlain())
    return MakeError(ErrorCode::kNotSupported, absl::StrCat("the inverse box of ", p.ToString()));
  if (range.empty() || target.empty()) return std::optional<ZRange>();
  ZPoint low = range.start(), high = range.end();
  for (int d = 0; d < high.rank(); ++d) --high[d];
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
