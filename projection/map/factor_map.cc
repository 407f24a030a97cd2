// Idea. The digits of one coordinate are the coordinates of a small row-major tensor whose extents
// are the factors. So an interval of the coordinate is a run there, and runs are staircases
// (runs.h): at most 2k - 1 boxes for k digits. Boxes of several dimensions multiply. Back,
// coordinates are affine in digits, so cells are the image of a projection.
//
//   [5, 20) of 32 as (4, 8): zr[0:1, 5:8] zr[1:2, 0:8] zr[2:3, 0:4]
//
// Tested by reshape_test.cc (StairsAroundAFullMiddle, and every reshape with digits).
#include "tessera/projection/map/factor_map.h"

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/map/projection.h"
#include "tessera/projection/set/runs.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

int64_t Product(const ZPoint& factors) {
  int64_t n = 1;
  for (int64_t f : factors) n *= f;
  return n;
}

}  // namespace

absl::StatusOr<ZFactorMap> ZFactorMap::Create(std::vector<ZPoint> factors) {
  for (const ZPoint& list : factors) {
    Checked extent = 1;
    for (int64_t f : list) {
      if (f < 1)
        return MakeError(ErrorCode::kBadShape,
                         absl::StrCat("factors ", list.ToString(), " must be at least 1"));
      extent *= f;
    }
    if (!extent.ok()) return OverflowError("the product of factors");
  }
  ZFactorMap map;
  map.factors_ = std::move(factors);
  return map;
}

ZPoint ZFactorMap::shape() const {
  ZPoint out;
  for (const ZPoint& list : factors_) out.push_back(Product(list));
  return out;
}

ZPoint ZFactorMap::digit_shape() const {
  ZPoint out;
  for (const ZPoint& list : factors_) {
    for (int64_t f : list) out.push_back(f);
  }
  return out;
}

ZMatrix ZFactorMap::Weights() const {
  ZMatrix weights(rank(), digit_shape().rank());
  int column = 0;
  for (int r = 0; r < rank(); ++r) {
    int64_t weight = Product(factors_[r]);
    for (int64_t f : factors_[r]) {
      weight /= f;
      weights(r, column++) = weight;
    }
  }
  return weights;
}

absl::StatusOr<std::vector<ZRange>> ZFactorMap::Digits(const ZRange& cells, int64_t limit) const {
  std::vector<ZRange> out = {ZRange()};
  if (cells.empty()) return std::vector<ZRange>();
  for (int r = 0; r < rank(); ++r) {
    // The digits of one dimension are the coordinates of a small row-major tensor: an interval is a
    // run in it.
    TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> stairs,
                             BoxesOfRun({cells.start()[r], cells.extent(r)}, factors_[r]));
    std::vector<ZRange> next;
    for (const ZRange& head : out) {
      for (const ZRange& tail : stairs) next.push_back(head.Product(tail));
    }
    out = std::move(next);
    if (static_cast<int64_t>(out.size()) > limit) {
      return MakeError(ErrorCode::kTooLarge, absl::StrCat("more than ", limit, " boxes of digits"));
    }
  }
  return out;
}

absl::StatusOr<ZSet> ZFactorMap::Cells(const ZRange& digits, int64_t limit) const {
  ProjectionSpec spec;
  spec.matrix = Weights();
  TESSERA_ASSIGN_OR_RETURN(ZProjection p, ZProjection::Create(std::move(spec)));
  return p.Image(digits, limit);
}

}  // namespace tessera::projection
