// Idea. An affine row sends a block of indices to a sum of arithmetic progressions. They are added
// one after the other in ascending stride. Almost every such sum is an interval (the strides
// overlap) or one comb (they leave equal gaps). So a set of any size takes constant memory and
// time:
//
//   {0..2} + {0, 2, 4}        = [0, 7)                    stride 2 <= width 3: the copies overlap
//   {0, 1} + {0, 5, 10}       = 2 of every 5              stride 5 > width 2: a comb
//   comb(step 2) + {0, 4, 8}  = a longer comb of step 2   4 is a multiple of the step, and the
//   copies touch
//
// The rest (strides without such a relation) is written out as intervals, under the caller's limit.
//
// Cost: constant for one comb; linear in the intervals otherwise. Tested by set_test.cc
// against enumeration.
#include "tessera/projection/set/axis_set.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

absl::Status TooMany(int64_t limit) {
  return MakeError(ErrorCode::kTooLarge,
                   absl::StrCat("an exact set of more than ", limit, " intervals"));
}

// Sorted, merged, without empty members.
std::vector<Interval> Normalize(std::vector<Interval> list) {
  std::sort(list.begin(), list.end(), [](Interval a, Interval b) { return a.first < b.first; });
  std::vector<Interval> out;
  for (Interval i : list) {
    if (i.first >= i.end) continue;
    if (!out.empty() && i.first <= out.back().end) {
      out.back().end = std::max(out.back().end, i.end);
    } else {
      out.push_back(i);
    }
  }
  return out;
}

// How many intervals from `at` on have one width and one distance.
size_t RegularLength(const std::vector<Interval>& list, size_t at) {
  if (at + 1 >= list.size()) return list.size() - at;
  int64_t width = list[at].end - list[at].first;
  int64_t step = list[at + 1].first - list[at].first;
  size_t n = 1;
  while (at + n < list.size() && list[at + n].end - list[at + n].first == width &&
         list[at + n].first - list[at + n - 1].first == step) {
    ++n;
  }
  return n;
}

}  // namespace

AxisSet AxisSet::OfInterval(int64_t first, int64_t end) {
  AxisSet s;
  if (first < end) s.combs_.push_back({first, end - first, 1, end - first});
  return s;
}

AxisSet AxisSet::OfComb(const Comb& comb) {
  if (comb.count < 1 || comb.width < 1) return AxisSet();
  if (comb.count == 1 || comb.width >= comb.step) return OfInterval(comb.first, comb.end());
  AxisSet s;
  s.combs_.push_back(comb);
  return s;
}

AxisSet AxisSet::OfIntervals(std::vector<Interval> intervals) {
  std::vector<Interval> list = Normalize(std::move(intervals));
  AxisSet s;
  for (size_t at = 0; at < list.size();) {
    size_t n = RegularLength(list, at);
    if (n < 3) n = 1;
    int64_t width = list[at].end - list[at].first;
    int64_t step = n > 1 ? list[at + 1].first - list[at].first : width;
    s.combs_.push_back({list[at].first, step, static_cast<int64_t>(n), width});
    at += n;
  }
  return s;
}

absl::StatusOr<int64_t> AxisSet::size() const {
  Checked total = 0;
  for (const Comb& c : combs_) total += Checked(c.count) * c.width;
  if (!total.ok()) return OverflowError("the size of a set of positions");
  return total.value();
}

int64_t AxisSet::num_intervals() const {
  int64_t n = 0;
  for (const Comb& c : combs_) n += c.count;
  return n;
}

bool AxisSet::Contains(int64_t position) const { return !Clip(position, position + 1).empty(); }

absl::StatusOr<std::vector<Interval>> AxisSet::Intervals(int64_t limit) const {
  if (num_intervals() > limit) return TooMany(limit);
  std::vector<Interval> out;
  out.reserve(num_intervals());
  for (const Comb& c : combs_) {
    for (int64_t k = 0; k < c.count; ++k) {
      out.push_back({c.first + k * c.step, c.first + k * c.step + c.width});
    }
  }
  return out;
}

absl::StatusOr<AxisSet> AxisSet::AddProgression(int64_t stride, int64_t count,
                                                int64_t limit) const {
  if (empty() || stride == 0 || count == 1) return *this;
  if (count < 1) return AxisSet();
  Checked reach = Checked(stride) * (count - 1);
  if (!reach.ok() || !(reach + first()).ok() || !(reach + end()).ok())
    return OverflowError("the end of an image");
  if (stride < 0) {
    TESSERA_ASSIGN_OR_RETURN(AxisSet moved, Translate(reach.value()));
    return moved.AddProgression(-stride, count, limit);
  }
  if (combs_.size() == 1) {
    const Comb& c = combs_[0];
    if (c.count == 1) return OfComb({c.first, stride, count, c.width});
    if (stride % c.step == 0 && stride / c.step <= c.count) {
      return OfComb({c.first, c.step, c.count + stride / c.step * (count - 1), c.width});
    }
  }
  Checked pieces = Checked(num_intervals()) * count;
  if (!pieces.ok() || pieces.value() > limit) return TooMany(limit);
  TESSERA_ASSIGN_OR_RETURN(std::vector<Interval> base, Intervals(limit));
  std::vector<Interval> all;
  for (int64_t k = 0; k < count; ++k) {
    for (Interval i : base) all.push_back({i.first + k * stride, i.end + k * stride});
  }
  return OfIntervals(std::move(all));
}

absl::StatusOr<AxisSet> AxisSet::Undilate(int64_t dilate, int64_t limit) const {
  if (dilate == 1 || empty()) return *this;
  if (IsInterval()) return OfInterval(CeilDiv(first(), dilate), CeilDiv(end(), dilate));
  if (combs_.size() == 1 && combs_[0].step % dilate == 0) {
    const Comb& c = combs_[0];
    int64_t low = CeilDiv(c.first, dilate), high = CeilDiv(c.first + c.width, dilate);
    return OfComb({low, c.step / dilate, c.count, high - low});
  }
  TESSERA_ASSIGN_OR_RETURN(std::vector<Interval> list, Intervals(limit));
  for (Interval& i : list) i = {CeilDiv(i.first, dilate), CeilDiv(i.end, dilate)};
  return OfIntervals(std::move(list));
}

absl::StatusOr<AxisSet> AxisSet::Translate(int64_t by) const {
  AxisSet out = *this;
  if (empty()) return out;
  if (!(Checked(first()) + by).ok() || !(Checked(end()) + by).ok())
    return OverflowError("a moved position");
  for (Comb& c : out.combs_) c.first += by;
  return out;
}

bool operator==(const AxisSet& a, const AxisSet& b) {
  if (a.num_intervals() != b.num_intervals()) return false;
  size_t i = 0, j = 0;
  for (int64_t ki = 0, kj = 0; i < a.combs_.size(); ++ki, ++kj) {
    if (ki == a.combs_[i].count) ki = 0, ++i;
    if (kj == b.combs_[j].count) kj = 0, ++j;
    if (i == a.combs_.size()) break;
    const Comb &x = a.combs_[i], &y = b.combs_[j];
    if (x.width != y.width || x.first + ki * x.step != y.first + kj * y.step) return false;
    if (ki == 0 && kj == 0 && x.count == y.count && x.step == y.step) ki = kj = x.count - 1;
  }
  return true;
}

}  // namespace tessera::projection
