// ZRange: a half-open box of Z^n, [start, end) in every dimension.
//
//   absl::StatusOr<ZRange> box = ZRange::Create({0, 3}, {2, 5});
//   box->ToString()               // "zr[0:2, 3:5]"
//   *box->size()                  // 4 cells
//   box->Contains(ZPoint{1, 4})   // true
//
// A box with an extent of 0 is empty but keeps its place: two empty boxes at different places
// differ. Rank 0 is one cell, never empty. Extents are known to fit int64_t; the number of cells
// may not (size() says so).
#ifndef TESSERA_PROJECTION_CORE_RANGE_H_
#define TESSERA_PROJECTION_CORE_RANGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/projection/core/point.h"

namespace tessera::projection {

class ZRange {
 public:
  ZRange() = default;  // rank 0
  // kRankMismatch, kBadRange, or kOverflow for an extent that does not fit.
  static absl::StatusOr<ZRange> Create(ZPoint start, ZPoint end);
  // [0, shape); an extent below 0 counts as 0.
  static ZRange FromShape(const ZPoint& shape);
  // The smallest box around all of `ranges`, empty ones included; kEmptyList, kRankMismatch.
  static absl::StatusOr<ZRange> Bounding(absl::Span<const ZRange> ranges);
  // Reads "zr[0:2, 3:5]" with blanks around numbers, or {"start":[0,3],"end":[2,5]}; kParse.
  static absl::StatusOr<ZRange> Parse(absl::string_view text);

  int rank() const { return start_.rank(); }
  const ZPoint& start() const { return start_; }
  const ZPoint& end() const { return end_; }
  int64_t extent(int dim) const { return end_[dim] - start_[dim]; }
  ZPoint shape() const;
  bool empty() const;
  absl::StatusOr<int64_t> size() const;  // kOverflow

  // False for another rank.
  bool Contains(const ZPoint& point) const;
  // Walls, not cells: an empty box at `end` is contained, one outside is not.
  bool Contains(const ZRange& other) const;

  absl::StatusOr<ZRange> Translate(const ZPoint& by) const;
  absl::StatusOr<ZRange> Permute(absl::Span<const int> permutation) const;
  // The dimensions of this, then those of `other`.
  ZRange Product(const ZRange& other) const;

  // None when the boxes lie apart; an empty box when they only touch. None for another rank.
  std::optional<ZRange> Intersect(const ZRange& other) const;
  bool Overlaps(const ZRange& other) const;
  // This without `other`, as at most 2*rank disjoint boxes: dimension by dimension the low piece,
  // then the high one.
  std::vector<ZRange> Subtract(const ZRange& other) const;

  // The same box with another extent in one dimension; start <= end is the caller's care.
  ZRange WithDim(int dim, int64_t start, int64_t end) const;

  std::string ToString() const;  // "zr[0:2, 3:5]"
  std::string ToJson() const;    // {"start":[0,3],"end":[2,5]}

  friend bool operator==(const ZRange& a, const ZRange& b) {
    return a.start_ == b.start_ && a.end_ == b.end_;
  }
  friend bool operator!=(const ZRange& a, const ZRange& b) { return !(a == b); }
  friend bool operator<(const ZRange& a, const ZRange& b) {
    return a.start_ != b.start_ ? a.start_ < b.start_ : a.end_ < b.end_;
  }
  template <typename H>
  friend H AbslHashValue(H h, const ZRange& r) {
    return H::combine(std::move(h), r.start_, r.end_);
  }

 private:
  ZRange(ZPoint start, ZPoint end) : start_(std::move(start)), end_(std::move(end)) {}

  ZPoint start_, end_;
};

// Calls `visit(point)` for every cell in row-major order, the last dimension fastest. `visit`
// returns false to stop; the call returns whether it went through. Rank 0 is one visit with the
// empty point.
template <typename Visit>
bool ForEachCell(const ZRange& range, Visit visit) {
  if (range.empty()) return true;
  ZPoint p = range.start();
  while (true) {
    if (!visit(static_cast<const ZPoint&>(p))) return false;
    int dim = range.rank() - 1;
    while (dim >= 0 && ++p[dim] == range.end()[dim]) {
      p[dim] = range.start()[dim];
      --dim;
    }
    if (dim < 0) return true;
  }
}

// "‖2, 3‖": a shape between double bars.
std::string ShapeText(const ZPoint& shape);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_CORE_RANGE_H_
