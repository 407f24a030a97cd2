// ZMatrix: an integer matrix A, rows x columns, either of which may be 0. Rows are tensor
// dimensions, columns are index axes, so that A applied to an index gives a place in the tensor
// (documents that write C^T P hold the transpose, P).
//
//   ZMatrix a = *ZMatrix::Create({{1, 0}, {0, 1}, {1, 1}}, 2);
//   a(2, 1)                        // 1
//   *a.Apply({5, 6})               // [5, 6, 11]
#ifndef TESSERA_PROJECTION_CORE_MATRIX_H_
#define TESSERA_PROJECTION_CORE_MATRIX_H_

#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/projection/core/point.h"

namespace tessera::projection {

class ZMatrix {
 public:
  ZMatrix() = default;  // 0 x 0
  // All zero.
  ZMatrix(int rows, int cols) : rows_(rows), cols_(cols), v_(static_cast<size_t>(rows) * cols, 0) {}
  // kRankMismatch unless every row has `cols` entries.
  static absl::StatusOr<ZMatrix> Create(absl::Span<const ZPoint> rows, int cols);
  static ZMatrix Identity(int n);
  static ZMatrix Diagonal(const ZPoint& d);

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  int64_t operator()(int r, int c) const { return v_[r * cols_ + c]; }
  int64_t& operator()(int r, int c) { return v_[r * cols_ + c]; }
  ZPoint row(int r) const;
  ZPoint column(int c) const;
  bool IsZeroColumn(int c) const;
  // The only column with an entry in row r; -1 for none, -2 for several.
  int SingleColumn(int r) const;

  absl::StatusOr<ZPoint> Apply(const ZPoint& x) const;  // kRankMismatch, kOverflow

  std::string ToString() const;  // "[[1,0],[0,1]]"

  friend bool operator==(const ZMatrix& a, const ZMatrix& b) {
    return a.rows_ == b.rows_ && a.cols_ == b.cols_ && a.v_ == b.v_;
  }
  friend bool operator!=(const ZMatrix& a, const ZMatrix& b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H h, const ZMatrix& m) {
    return H::combine(std::move(h), m.rows_, m.cols_, absl::MakeConstSpan(m.v_));
  }

 private:
  int rows_ = 0, cols_ = 0;
  absl::InlinedVector<int64_t, 16> v_;
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_CORE_MATRIX_H_
