// ZSet: a set of cells of Z^n, exactly. Held as a product of one AxisSet for each dimension when it
// is one (most regions are), else as slab boxes (slab.h). Either way the same set has one form:
// equality is equality of cells.
//
//   ZSet need = ZSet::OfBox(*ZRange::Create({0, 0}, {4, 8}));
//   ZSet rest = *need.Subtract(ZSet::OfBox(*ZRange::Create({0, 0}, {4, 6})));
//   *rest.size()            // 8 cells
//   rest.bounding()         // zr[0:4, 6:8]
//
// Operations that need more than `limit` boxes answer kTooLarge; a caller then falls back to
// bounding(), and says so.
#ifndef TESSERA_PROJECTION_SET_SET_H_
#define TESSERA_PROJECTION_SET_SET_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/projection/core/range.h"
#include "tessera/projection/set/axis_set.h"

namespace tessera::projection {

using AxisSets = std::vector<AxisSet>;

class ZSet {
 public:
  explicit ZSet(int rank = 0) : rank_(rank) {}  // no cell
  static ZSet OfBox(const ZRange& box);
  // The product; no cell when any of `axes` is empty. No axes: the one cell of rank 0.
  static ZSet OfAxes(AxisSets axes);
  // The union of boxes of rank `rank`.
  static absl::StatusOr<ZSet> OfBoxes(int rank, absl::Span<const ZRange> boxes,
                                      int64_t limit = kDefaultLimit);

  int rank() const { return rank_; }
  bool empty() const { return !axes_.has_value() && slabs_.empty(); }
  absl::StatusOr<int64_t> size() const;    // cells; kOverflow
  std::optional<ZRange> bounding() const;  // none for the empty set
  bool Contains(const ZPoint& point) const;

  // The factors when the set is a product, else null. Null for the empty set.
  const AxisSets* product() const { return axes_.has_value() ? &*axes_ : nullptr; }
  // The canonical boxes; kTooLarge.
  absl::StatusOr<std::vector<ZRange>> Slabs(int64_t limit = kDefaultLimit) const;
  // Their number, without making them; kOverflow.
  absl::StatusOr<int64_t> num_slabs() const;

  absl::StatusOr<ZSet> Union(const ZSet& other, int64_t limit = kDefaultLimit) const;
  absl::StatusOr<ZSet> Intersect(const ZSet& other, int64_t limit = kDefaultLimit) const;
  absl::StatusOr<ZSet> Subtract(const ZSet& other, int64_t limit = kDefaultLimit) const;

  friend bool operator==(const ZSet& a, const ZSet& b);
  friend bool operator!=(const ZSet& a, const ZSet& b) { return !(a == b); }

 private:
  static absl::StatusOr<ZSet> OfSlabs(int rank, std::vector<ZRange> slabs);

  int rank_;
  std::optional<AxisSets> axes_;  // a product, never empty
  std::vector<ZRange> slabs_;     // used when not a product; canonical
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SET_SET_H_
