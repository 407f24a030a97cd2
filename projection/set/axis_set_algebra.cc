// Unions, intersections and differences of positions. Cutting a comb to an interval gives at most
// three combs, however many teeth it has; only two combs that are not alike are taken apart into
// intervals. Tested by set_test.cc against sets of points.
#include <algorithm>

#include "tessera/projection/set/axis_set.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// The part of one comb inside [first, end): a cut tooth, whole teeth, a cut tooth.
void ClipComb(const Comb& c, int64_t first, int64_t end, absl::InlinedVector<Comb, 1>* out) {
  if (end <= c.first || first >= c.end()) return;
  int64_t low = first <= c.first ? 0 : FloorDiv(first - c.first, c.step);
  int64_t high = end >= c.end() ? c.count - 1 : FloorDiv(end - 1 - c.first, c.step);
  auto tooth = [&](int64_t k) {
    return Interval{std::max(first, c.first + k * c.step),
                    std::min(end, c.first + k * c.step + c.width)};
  };
  auto whole = [&](int64_t k) { return tooth(k).end - tooth(k).first == c.width; };
  auto emit_cut = [&](int64_t k) {
    Interval t = tooth(k);
    if (t.first < t.end) out->push_back({t.first, c.step, 1, t.end - t.first});
  };
  if (!whole(low)) emit_cut(low++);
  bool cut_high = low <= high && !whole(high);
  int64_t teeth = high - low + (cut_high ? 0 : 1);
  if (teeth > 0) out->push_back({c.first + low * c.step, c.step, teeth, c.width});
  if (cut_high) emit_cut(high);
}

}  // namespace

AxisSet AxisSet::Clip(int64_t first, int64_t end) const {
  AxisSet out;
  for (const Comb& c : combs_) ClipComb(c, first, end, &out.combs_);
  return out;
}

absl::StatusOr<AxisSet> AxisSet::Union(const AxisSet& other, int64_t limit) const {
  if (empty() || *this == other) return other;
  if (other.empty()) return *this;
  TESSERA_ASSIGN_OR_RETURN(std::vector<Interval> all, Intervals(limit));
  TESSERA_ASSIGN_OR_RETURN(std::vector<Interval> more, other.Intervals(limit));
  all.insert(all.end(), more.begin(), more.end());
  return OfIntervals(std::move(all));
}

absl::StatusOr<AxisSet> AxisSet::Intersect(const AxisSet& other, int64_t limit) const {
  if (empty() || other.empty()) return AxisSet();
  if (other.IsInterval()) return Clip(other.first(), other.end());
  if (IsInterval()) return other.Clip(first(), end());
  if (*this == other) return *this;
  TESSERA_ASSIGN_OR_RETURN(std::vector<Interval> a, Intervals(limit));
  TESSERA_ASSIGN_OR_RETURN(std::vector<Interval> b, other.Intervals(limit));
  std::vector<Interval> both;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    both.push_back({std::max(a[i].first, b[j].first), std::min(a[i].end, b[j].end)});
    a[i].end < b[j].end ? ++i : ++j;
  }
  return OfIntervals(std::move(both));
}

absl::StatusOr<AxisSet> AxisSet::Subtract(const AxisSet& other, int64_t limit) const {
  if (empty() || other.empty()) return *this;
  if (*this == other) return AxisSet();
  // The rest lies before, between and after the intervals of `other`.
  TESSERA_ASSIGN_OR_RETURN(std::vector<Interval> holes,
                           other.Clip(first(), end()).Intervals(limit));
  AxisSet out;
  int64_t at = first();
  for (Interval hole : holes) {
    for (const Comb& c : combs_) ClipComb(c, at, hole.first, &out.combs_);
    at = hole.end;
  }
  for (const Comb& c : combs_) ClipComb(c, at, end(), &out.combs_);
  return out;
}

}  // namespace tessera::projection
