// Dimensions as digits. Reshapes, interleaved axes and sub-axes are not affine in the coordinates
// of a tensor. They are in the digits of those coordinates: with factors (major to minor) 4 and 8
// of an extent of 32, x = 8 * d0 + d1.
//
//   ZFactorMap f = *ZFactorMap::Create({{4, 8}});   // one dimension of 32, seen as two digits
//   *f.Digits(zr[5:20])      // stairs, middle, stairs: zr[0:1, 5:8] zr[1:2, 0:8] zr[2:3, 0:4]
//   *f.Cells(zr[1:3, 0:8])   // zr[8:24]
//   f.Weights()              // [[8,1]]: coordinates are affine in digits
#ifndef TESSERA_PROJECTION_MAP_FACTOR_MAP_H_
#define TESSERA_PROJECTION_MAP_FACTOR_MAP_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/core/matrix.h"
#include "tessera/projection/set/set.h"

namespace tessera::projection {

class ZFactorMap {
 public:
  // One list of factors for each dimension, major to minor; a dimension of extent 1 may have none.
  // kBadShape for a factor below 1, kOverflow.
  static absl::StatusOr<ZFactorMap> Create(std::vector<ZPoint> factors);

  int rank() const { return static_cast<int>(factors_.size()); }
  const std::vector<ZPoint>& factors() const { return factors_; }
  ZPoint shape() const;        // of the tensor
  ZPoint digit_shape() const;  // all digits, dimension by dimension

  // rank x digits: coordinate = weights * digits.
  ZMatrix Weights() const;
  // A box of cells as boxes of digits: at most 2k - 1 for each dimension of k digits. kOutOfBounds,
  // kTooLarge.
  absl::StatusOr<std::vector<ZRange>> Digits(const ZRange& cells,
                                             int64_t limit = kDefaultLimit) const;
  // A box of digits as a set of cells.
  absl::StatusOr<ZSet> Cells(const ZRange& digits, int64_t limit = kDefaultLimit) const;

 private:
  std::vector<ZPoint> factors_;
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_MAP_FACTOR_MAP_H_
