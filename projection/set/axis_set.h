// AxisSet: the selected positions of one dimension, as disjoint maximal intervals in ascending
// order. Regular patterns are stored as combs, so that "every third of a million positions" takes
// one entry:
//
//   AxisSet odd = AxisSet::OfComb({.first = 1, .step = 2, .count = 500000, .width = 1});
//   *odd.size()                 // 500000
//   odd.Clip(0, 10)             // 1, 3, 5, 7, 9
//
// A comb is only a way to store: equality compares the intervals.
#ifndef TESSERA_PROJECTION_SET_AXIS_SET_H_
#define TESSERA_PROJECTION_SET_AXIS_SET_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::projection {

// [first, end), never empty inside an AxisSet.
struct Interval {
  int64_t first, end;
  friend bool operator==(Interval a, Interval b) { return a.first == b.first && a.end == b.end; }
};

// The intervals [first + k*step, first + k*step + width) for 0 <= k < count; width < step unless
// count is 1.
struct Comb {
  int64_t first, step, count, width;
  int64_t last() const { return first + step * (count - 1); }  // start of the last tooth
  int64_t end() const { return last() + width; }
};

// How many intervals or boxes an exact set may take before an operation answers kTooLarge.
inline constexpr int64_t kDefaultLimit = 4096;

class AxisSet {
 public:
  AxisSet() = default;                                    // no position
  static AxisSet OfInterval(int64_t first, int64_t end);  // no position when first >= end
  // Teeth that touch become one interval.
  static AxisSet OfComb(const Comb& comb);
  // Any intervals, in any order, overlapping or not.
  static AxisSet OfIntervals(std::vector<Interval> intervals);

  bool empty() const { return combs_.empty(); }
  bool IsInterval() const { return combs_.size() == 1 && combs_[0].count == 1; }
  int64_t first() const { return combs_.front().first; }  // not for the empty set
  int64_t end() const { return combs_.back().end(); }
  absl::StatusOr<int64_t> size() const;  // kOverflow
  int64_t num_intervals() const;
  bool Contains(int64_t position) const;
  absl::StatusOr<std::vector<Interval>> Intervals(
      int64_t limit = kDefaultLimit) const;  // kTooLarge

  // The positions p + stride*k for p in this set and 0 <= k < count; `stride` may be negative or 0.
  absl::StatusOr<AxisSet> AddProgression(int64_t stride, int64_t count,
                                         int64_t limit = kDefaultLimit) const;
  // The multiples of `dilate` in this set, divided by it.
  absl::StatusOr<AxisSet> Undilate(int64_t dilate, int64_t limit = kDefaultLimit) const;
  absl::StatusOr<AxisSet> Translate(int64_t by) const;  // kOverflow
  // The positions inside [first, end).
  AxisSet Clip(int64_t first, int64_t end) const;

  absl::StatusOr<AxisSet> Union(const AxisSet& other, int64_t limit = kDefaultLimit) const;
  absl::StatusOr<AxisSet> Intersect(const AxisSet& other, int64_t limit = kDefaultLimit) const;
  absl::StatusOr<AxisSet> Subtract(const AxisSet& other, int64_t limit = kDefaultLimit) const;

  friend bool operator==(const AxisSet& a, const AxisSet& b);
  friend bool operator!=(const AxisSet& a, const AxisSet& b) { return !(a == b); }

 private:
  // Sorted; no two combs share a span, and neighbours do not touch.
  absl::InlinedVector<Comb, 1> combs_;
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SET_AXIS_SET_H_
