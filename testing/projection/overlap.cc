#include "tessera/testing/projection/overlap.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

absl::Status CheckPlain(const ZProjection& p) {
  if (p.IsPlain()) return absl::OkStatus();
  return MakeError(ErrorCode::kNotSupported,
                   absl::StrCat("the overlap of ", p.ToString(), ": not plain"));
}

}  // namespace

const char* SharingName(Sharing s) {
  constexpr const char* kNames[] = {"total", "none", "partial"};
  return kNames[static_cast<int>(s)];
}

absl::StatusOr<Overlap> StepOverlap(const ZProjection& p, int axis) {
  TESSERA_RETURN_IF_ERROR(CheckPlain(p));
  TESSERA_ASSIGN_OR_RETURN(axis, NormalizeDim(axis, p.index_rank()));
  Overlap out{ZPoint(), 1, Sharing::kPartial, false};
  Checked cells = 1;
  for (int r = 0; r < p.tensor_rank(); ++r) {
    Checked move = Checked(p.matrix()(r, axis)).Abs();
    if (!move.ok()) return OverflowError("a stride");
    out.shape.push_back(std::max<int64_t>(0, p.shape()[r] - move.value()));
    out.gap |= move.value() > p.shape()[r];
    cells *= out.shape[r];
  }
  if (!cells.ok()) return OverflowError("the cells of an overlap");
  out.cells = cells.value();
  if (p.matrix().IsZeroColumn(axis)) {
    out.sharing = Sharing::kTotal;
  } else if (out.cells == 0) {
    out.sharing = Sharing::kNone;
  }
  return out;
}

absl::StatusOr<int64_t> BlockHalo(const ZProjection& p, int row, int axis, const ZPoint& block) {
  TESSERA_RETURN_IF_ERROR(CheckPlain(p));
  Checked width = p.shape()[row];
  for (int c = 0; c < p.index_rank(); ++c) {
    if (c != axis) width += Checked(p.matrix()(row, c)).Abs() * (block[c] - 1);
  }
  width -= Checked(p.matrix()(row, axis)).Abs();
  if (!width.ok()) return OverflowError("the width of a halo");
  return std::max<int64_t>(0, width.value());
}

bool IsDense(const ZProjection& p, int axis, int row) {
  Checked move = Checked(p.matrix()(row, axis)).Abs();
  return move.ok() && move.value() <= p.shape()[row];
}

}  // namespace tessera::projection
