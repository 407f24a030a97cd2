// ZAffineMap: x -> A x + b from index space Z^n to tensor space Z^m.
//
//   ZMatrix a = *ZMatrix::Create({{1, 0}, {0, 1}, {1, 1}}, 2);
//   ZAffineMap f = *ZAffineMap::Create(a, {10, 20, 30});
//   *f.Apply({5, 6})    // [15, 26, 41]
//   f.Stride(1)         // [0, 1, 1]: f(x + e_1) - f(x), the same at every x
//   f.ToString()        // "λx.[[1,0],[0,1],[1,1]]⋅x + [10,20,30]"
//
// That the stride is the same everywhere is the fact on which blocks, overlaps and incremental
// costs rest.
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
  // Column c: how far the target moves when axis c moves by one.
  ZPoint Stride(int axis) const { return a_.column(axis); }

  absl::StatusOr<ZAffineMap> Translate(const ZPoint& d) const;     // moves the target: b + d
  absl::StatusOr<ZAffineMap> PreTranslate(const ZPoint& d) const;  // moves the source: b + A d
  absl::StatusOr<ZAffineMap> PermuteInput(absl::Span<const int> p) const;
  absl::StatusOr<ZAffineMap> PermuteOutput(absl::Span<const int> p) const;
  absl::StatusOr<ZAffineMap> Then(const ZAffineMap& g) const;  // x -> g(f(x))
  // k coordinates in front that pass through unchanged.
  ZAffineMap WithPrefix(int k) const;
  // Applies to a point of more coordinates than the map takes: the first ones pass through.
  absl::StatusOr<ZPoint> BroadcastApply(const ZPoint& x) const;

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
