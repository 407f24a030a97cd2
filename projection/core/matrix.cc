#include "tessera/projection/core/matrix.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {

absl::StatusOr<ZMatrix> ZMatrix::Create(absl::Span<const ZPoint> rows, int cols) {
  ZMatrix m(static_cast<int>(rows.size()), cols);
  for (int r = 0; r < m.rows_; ++r) {
    if (rows[r].rank() != cols) {
      return MakeError(ErrorCode::kRankMismatch, absl::StrCat("matrix row ", rows[r].ToString(),
                                                              " does not have ", cols, " columns"));
    }
    for (int c = 0; c < cols; ++c) m(r, c) = rows[r][c];
  }
  return m;
}

ZMatrix ZMatrix::Identity(int n) { return Diagonal(ZPoint::Filled(n, 1)); }

ZMatrix ZMatrix::Diagonal(const ZPoint& d) {
  ZMatrix m(d.rank(), d.rank());
  for (int i = 0; i < d.rank(); ++i) m(i, i) = d[i];
  return m;
}

ZPoint ZMatrix::row(int r) const {
  ZPoint out;
  for (int c = 0; c < cols_; ++c) out.push_back((*this)(r, c));
  return out;
}

ZPoint ZMatrix::column(int c) const {
  ZPoint out;
  for (int r = 0; r < rows_; ++r) out.push_back((*this)(r, c));
  return out;
}

bool ZMatrix::IsZeroColumn(int c) const {
  for (int r = 0; r < rows_; ++r) {
    if ((*this)(r, c) != 0) return false;
  }
  return true;
}

int ZMatrix::SingleColumn(int r) const {
  int found = -1;
  for (int c = 0; c < cols_; ++c) {
    if ((*this)(r, c) != 0) found = found == -1 ? c : -2;
    if (found == -2) return found;
  }
  return found;
}

absl::StatusOr<ZPoint> ZMatrix::Apply(const ZPoint& x) const {
  if (x.rank() != cols_) {
    return MakeError(ErrorCode::kRankMismatch,
                     absl::StrCat("point ", x.ToString(), " for a matrix of ", cols_, " columns"));
  }
  ZPoint out = ZPoint::Filled(rows_, 0);
  for (int r = 0; r < rows_; ++r) {
    Checked sum = 0;
    for (int c = 0; c < cols_; ++c) sum += Checked((*this)(r, c)) * x[c];
    if (!sum.ok()) return OverflowError(absl::StrCat("row ", r, " of a map at ", x.ToString()));
    out[r] = sum.value();
  }
  return out;
}

std::string ZMatrix::ToString() const {
  std::vector<std::string> rows;
  for (int r = 0; r < rows_; ++r) rows.push_back(row(r).ToJson());
  return absl::StrCat("[", absl::StrJoin(rows, ","), "]");
}

}  // namespace tessera::projection
