// ZAffineMap: x -> A x + b from index space Z^n to tensor space Z^m.
//
//   ZMatrix a = *ZMatrix::Create({{1, 0}, {0, 1}, {1, 1}}, 2);
//   ZAffineMap f = *ZAffineMap::Create(a, {10, 20, 30});
//   *f.Apply({5, 6})    // [15, 26, 41]
//   f.ToString()        // "λx.[[1,0],[0,1],[1,1]]⋅x + [10,20,30]"
//
// A step along an axis moves the target by the same column of A everywhere. Blocks, overlaps and
// incremental costs rest on this.
#ifndef TESSERA_PROJECTION_CORE_AFFINE_MAP_H_
#define TESSERA_PROJECTION_CORE_AFFINE_MAP_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/projection/core/matrix.h"
#include "tessera/projection/core/point.h"

namespace tessera::projection {

class ZAffineMap {
 public:
  ZAffineMap() = default;                                                   // Z^0 to Z^0
  explicit ZAffineMap(ZMatrix matrix);                                      // b = 0
  static absl::StatusOr<ZAffineMap> Create(ZMatrix matrix, ZPoint offset);  // kRankMismatch
  static ZAffineMap Identity(int n) { return ZAffineMap(ZMatrix::Identity(n)); }

  const ZMatrix& matrix() const { return a_; }
  const ZPoint& offset() const { return b_; }
  int input_rank() const { return a_.cols(); }
  int output_rank() const { return a_.rows(); }

  absl::StatusOr<ZPoint> Apply(const ZPoint& x) const;  // kRankMismatch, kOverflow

  std::string ToString() const;

  friend bool operator==(const ZAffineMap& a, const ZAffineMap& b) {
    return a.a_ == b.a_ && a.b_ == b.b_;
  }

 private:
  ZAffineMap(ZMatrix a, ZPoint b) : a_(std::move(a)), b_(std::move(b)) {}

  ZMatrix a_;
  ZPoint b_;
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_CORE_AFFINE_MAP_H_
