#include "tessera/projection/core/range.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"

namespace tessera::projection {
namespace {

absl::Status BadRange(const ZPoint& start, const ZPoint& end) {
  return MakeError(ErrorCode::kBadRange,
                   absl::StrCat("start ", start.ToString(), " must be <= end ", end.ToString()));
}

}  // namespace

absl::StatusOr<ZRange> ZRange::Create(ZPoint start, ZPoint end) {
  if (start.rank() != end.rank()) {
    return MakeError(ErrorCode::kRankMismatch, absl::StrCat("start ", start.ToString(), " and end ",
                                                            end.ToString(), " differ in rank"));
  }
  for (int i = 0; i < start.rank(); ++i) {
    if (start[i] > end[i]) return BadRange(start, end);
    if (!(Checked(end[i]) - start[i]).ok()) return OverflowError("the extent of a range");
  }
  return ZRange(std::move(start), std::move(end));
}

ZRange ZRange::FromShape(const ZPoint& shape) {
  ZPoint end = shape;
  for (int i = 0; i < end.rank(); ++i) end[i] = std::max<int64_t>(end[i], 0);
  return ZRange(ZPoint::Filled(shape.rank(), 0), std::move(end));
}

absl::StatusOr<ZRange> ZRange::Bounding(absl::Span<const ZRange> ranges) {
  if (ranges.empty()) return MakeError(ErrorCode::kEmptyList, "the bounding box of no range");
  ZPoint start = ranges[0].start(), end = ranges[0].end();
  for (const ZRange& r : ranges) {
    if (r.rank() != start.rank()) {
      return MakeError(ErrorCode::kRankMismatch, absl::StrCat(ranges[0].ToString(), " and ",
                                                              r.ToString(), " differ in rank"));
    }
    for (int i = 0; i < start.rank(); ++i) {
      start[i] = std::min(start[i], r.start()[i]);
      end[i] = std::max(end[i], r.end()[i]);
    }
  }
  return Create(std::move(start), std::move(end));
}

ZPoint ZRange::shape() const {
  ZPoint out = end_;
  for (int i = 0; i < rank(); ++i) out[i] -= start_[i];
  return out;
}

bool ZRange::empty() const {
  for (int i = 0; i < rank(); ++i) {
    if (start_[i] == end_[i]) return true;
  }
  return false;
}

absl::StatusOr<int64_t> ZRange::size() const {
  if (empty()) return 0;
  Checked cells = 1;
  for (int i = 0; i < rank(); ++i) cells *= extent(i);
  if (!cells.ok()) return OverflowError(absl::StrCat("the size of ", ToString()));
  return cells.value();
}

bool ZRange::Contains(const ZPoint& point) const {
  if (point.rank() != rank()) return false;
  for (int i = 0; i < rank(); ++i) {
    if (point[i] < start_[i] || point[i] >= end_[i]) return false;
  }
  return true;
}

bool ZRange::Contains(const ZRange& other) const {
  if (other.rank() != rank()) return false;
  for (int i = 0; i < rank(); ++i) {
    if (other.start_[i] < start_[i] || other.end_[i] > end_[i]) return false;
  }
  return true;
}

absl::StatusOr<ZRange> ZRange::Translate(const ZPoint& by) const {
  absl::StatusOr<ZPoint> start = start_.Plus(by);
  if (!start.ok()) return start.status();
  absl::StatusOr<ZPoint> end = end_.Plus(by);
  if (!end.ok()) return end.status();
  return ZRange(*std::move(start), *std::move(end));
}

absl::StatusOr<ZRange> ZRange::Permute(absl::Span<const int> permutation) const {
  absl::StatusOr<ZPoint> start = start_.Permute(permutation);
  if (!start.ok()) return start.status();
  return ZRange(*std::move(start), *end_.Permute(permutation));
}

ZRange ZRange::Product(const ZRange& other) const {
  ZRange out = *this;
  for (int i = 0; i < other.rank(); ++i) {
    out.start_.push_back(other.start_[i]);
    out.end_.push_back(other.end_[i]);
  }
  return out;
}

std::optional<ZRange> ZRange::Intersect(const ZRange& other) const {
  if (other.rank() != rank()) return std::nullopt;
  ZRange out = *this;
  for (int i = 0; i < rank(); ++i) {
    out.start_[i] = std::max(start_[i], other.start_[i]);
    out.end_[i] = std::min(end_[i], other.end_[i]);
    if (out.start_[i] > out.end_[i]) return std::nullopt;
  }
  return out;
}

bool ZRange::Overlaps(const ZRange& other) const {
  std::optional<ZRange> both = Intersect(other);
  return both.has_value() && !both->empty();
}

std::vector<ZRange> ZRange::Subtract(const ZRange& other) const {
  std::optional<ZRange> both = Intersect(other);
  if (empty()) return {};
  if (!both.has_value() || both->empty()) return {*this};
  std::vector<ZRange> pieces;
  ZRange rest = *this;
  for (int d = 0; d < rank(); ++d) {
    int64_t low = both->start_[d], high = both->end_[d];
    if (rest.start_[d] < low) pieces.push_back(rest.WithDim(d, rest.start_[d], low));
    if (high < rest.end_[d]) pieces.push_back(rest.WithDim(d, high, rest.end_[d]));
    rest = rest.WithDim(d, low, high);
  }
  return pieces;
}

ZRange ZRange::WithDim(int dim, int64_t start, int64_t end) const {
  ZRange out = *this;
  out.start_[dim] = start;
  out.end_[dim] = end;
  return out;
}

}  // namespace tessera::projection
