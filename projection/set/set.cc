// Idea. Most regions are products of one set of positions a dimension, and stay so: such a set
// costs its rank, not its cells. An operation on products whose result is one again is done
// dimension by dimension: an intersection, or a union or difference that differs in one dimension.
// Any other goes through slab boxes (slab.h). The result is a product again where its boxes fill
// the product of their projections. So a set of cells has one form. Tested by set_test.cc against
// sets of points.
#include "tessera/projection/set/set.h"

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/set/slab.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

absl::Status CheckRanks(const ZSet& a, const ZSet& b) {
  if (a.rank() == b.rank()) return absl::OkStatus();
  return MakeError(ErrorCode::kRankMismatch,
                   absl::StrCat("sets of rank ", a.rank(), " and ", b.rank()));
}

absl::StatusOr<int64_t> ProductSize(const AxisSets& axes) {
  Checked cells = 1;
  for (const AxisSet& axis : axes) {
    TESSERA_ASSIGN_OR_RETURN(int64_t n, axis.size());
    cells *= n;
  }
  if (!cells.ok()) return OverflowError("the size of a set of cells");
  return cells.value();
}

// The dimensions in which two products differ.
std::vector<int> Differing(const AxisSets& a, const AxisSets& b) {
  std::vector<int> out;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) out.push_back(static_cast<int>(i));
  }
  return out;
}

// The product of the projections of `slabs` on each dimension.
AxisSets Projections(int rank, absl::Span<const ZRange> slabs) {
  AxisSets axes;
  for (int d = 0; d < rank; ++d) {
    std::vector<Interval> list;
    for (const ZRange& box : slabs) list.push_back({box.start()[d], box.end()[d]});
    axes.push_back(AxisSet::OfIntervals(std::move(list)));
  }
  return axes;
}

}  // namespace

ZSet ZSet::OfBox(const ZRange& box) {
  AxisSets axes;
  axes.reserve(box.rank());
  for (int d = 0; d < box.rank(); ++d)
    axes.push_back(AxisSet::OfInterval(box.start()[d], box.end()[d]));
  return OfAxes(std::move(axes));
}

ZSet ZSet::OfAxes(AxisSets axes) {
  ZSet s(static_cast<int>(axes.size()));
  for (const AxisSet& axis : axes) {
    if (axis.empty()) return s;
  }
  s.axes_ = std::move(axes);
  return s;
}

absl::StatusOr<ZSet> ZSet::OfBoxes(int rank, absl::Span<const ZRange> boxes, int64_t limit) {
  for (const ZRange& box : boxes) {
    if (box.rank() != rank) {
      return MakeError(ErrorCode::kRankMismatch,
                       absl::StrCat(box.ToString(), " in a set of rank ", rank));
    }
  }
  if (boxes.size() == 1) return OfBox(boxes[0]);
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> slabs,
                           CombineSlabs(rank, boxes, {}, SetOp::kUnion, limit));
  return OfSlabs(rank, std::move(slabs));
}

absl::StatusOr<ZSet> ZSet::OfSlabs(int rank, std::vector<ZRange> slabs) {
  if (slabs.empty()) return ZSet(rank);
  AxisSets axes = Projections(rank, slabs);
  TESSERA_ASSIGN_OR_RETURN(int64_t full, ProductSize(axes));
  Checked cells = 0;
  for (const ZRange& box : slabs) {
    TESSERA_ASSIGN_OR_RETURN(int64_t n, box.size());
    cells += n;
  }
  if (cells.ok() && cells.value() == full) return OfAxes(std::move(axes));
  ZSet s(rank);
  s.slabs_ = std::move(slabs);
  return s;
}

absl::StatusOr<int64_t> ZSet::size() const {
  if (axes_.has_value()) return ProductSize(*axes_);
  Checked cells = 0;
  for (const ZRange& box : slabs_) {
    TESSERA_ASSIGN_OR_RETURN(int64_t n, box.size());
    cells += n;
  }
  if (!cells.ok()) return OverflowError("the size of a set of cells");
  return cells.value();
}

std::optional<ZRange> ZSet::bounding() const {
  if (empty()) return std::nullopt;
  if (!axes_.has_value()) return *ZRange::Bounding(slabs_);
  ZPoint start, end;
  for (const AxisSet& axis : *axes_) {
    start.push_back(axis.first());
    end.push_back(axis.end());
  }
  return *ZRange::Create(std::move(start), std::move(end));
}

bool ZSet::Contains(const ZPoint& point) const {
  if (point.rank() != rank_) return false;
  if (!axes_.has_value()) {
    for (const ZRange& box : slabs_) {
      if (box.Contains(point)) return true;
    }
    return false;
  }
  for (int d = 0; d < rank_; ++d) {
    if (!(*axes_)[d].Contains(point[d])) return false;
  }
  return true;
}

absl::StatusOr<int64_t> ZSet::num_slabs() const {
  if (!axes_.has_value()) return static_cast<int64_t>(slabs_.size());
  Checked n = 1;
  for (const AxisSet& axis : *axes_) n *= axis.num_intervals();
  if (!n.ok()) return OverflowError("the number of boxes of a set");
  return n.value();
}

absl::StatusOr<std::vector<ZRange>> ZSet::Slabs(int64_t limit) const {
  if (!axes_.has_value()) return slabs_;
  absl::StatusOr<int64_t> count = num_slabs();
  if (!count.ok() || *count > limit) {
    return MakeError(ErrorCode::kTooLarge,
                     absl::StrCat("an exact set of more than ", limit, " boxes"));
  }
  std::vector<ZRange> boxes = {ZRange()};
  for (const AxisSet& axis : *axes_) {
    TESSERA_ASSIGN_OR_RETURN(std::vector<Interval> intervals, axis.Intervals(limit));
    std::vector<ZRange> next;
    for (const ZRange& box : boxes) {
      for (Interval i : intervals) next.push_back(box.Product(*ZRange::Create({i.first}, {i.end})));
    }
    boxes = std::move(next);
  }
  return boxes;
}

absl::StatusOr<ZSet> ZSet::Intersect(const ZSet& other, int64_t limit) const {
  TESSERA_RETURN_IF_ERROR(CheckRanks(*this, other));
  if (empty() || other.empty()) return ZSet(rank_);
  if (axes_.has_value() && other.axes_.has_value()) {
    AxisSets axes;
    for (int d = 0; d < rank_; ++d) {
      TESSERA_ASSIGN_OR_RETURN(AxisSet axis, (*axes_)[d].Intersect((*other.axes_)[d], limit));
      axes.push_back(std::move(axis));
    }
    return OfAxes(std::move(axes));
  }
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> a, Slabs(limit));
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> b, other.Slabs(limit));
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> slabs,
                           CombineSlabs(rank_, a, b, SetOp::kIntersect, limit));
  return OfSlabs(rank_, std::move(slabs));
}

absl::StatusOr<ZSet> ZSet::Union(const ZSet& other, int64_t limit) const {
  TESSERA_RETURN_IF_ERROR(CheckRanks(*this, other));
  if (empty()) return other;
  if (other.empty()) return *this;
  if (axes_.has_value() && other.axes_.has_value()) {
    std::vector<int> differing = Differing(*axes_, *other.axes_);
    if (differing.empty()) return *this;
    if (differing.size() == 1) {
      AxisSets axes = *axes_;
      AxisSet& axis = axes[differing[0]];
      TESSERA_ASSIGN_OR_RETURN(axis, axis.Union((*other.axes_)[differing[0]], limit));
      return OfAxes(std::move(axes));
    }
  }
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> boxes, Slabs(limit));
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> more, other.Slabs(limit));
  boxes.insert(boxes.end(), more.begin(), more.end());
  return OfBoxes(rank_, boxes, limit);
}

absl::StatusOr<ZSet> ZSet::Subtract(const ZSet& other, int64_t limit) const {
  TESSERA_ASSIGN_OR_RETURN(ZSet both, Intersect(other, limit));
  if (both.empty()) return *this;
  if (axes_.has_value() && both.axes_.has_value()) {
    std::vector<int> differing = Differing(*axes_, *both.axes_);
    if (differing.empty()) return ZSet(rank_);
    if (differing.size() == 1) {
      AxisSets axes = *axes_;
      AxisSet& axis = axes[differing[0]];
      TESSERA_ASSIGN_OR_RETURN(axis, axis.Subtract((*both.axes_)[differing[0]], limit));
      return OfAxes(std::move(axes));
    }
  }
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> a, Slabs(limit));
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> b, both.Slabs(limit));
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> slabs,
                           CombineSlabs(rank_, a, b, SetOp::kSubtract, limit));
  return OfSlabs(rank_, std::move(slabs));
}

bool operator==(const ZSet& a, const ZSet& b) {
  return a.rank_ == b.rank_ && a.axes_ == b.axes_ && a.slabs_ == b.slabs_;
}

}  // namespace tessera::projection
