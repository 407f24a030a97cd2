#include "tessera/projection/map/policy.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

constexpr int64_t kFar = std::numeric_limits<int64_t>::max();

constexpr absl::string_view kNames[] = {"forbid", "torus", "negative", "pad", "drop", "clamp"};

absl::Status OutOfBounds(OutOfBoundsPolicy policy, int64_t position, int64_t extent) {
  int64_t low = policy == OutOfBoundsPolicy::kNegative ? -extent : 0;
  return MakeError(ErrorCode::kOutOfBounds,
                   absl::StrCat("cell ", position, " is outside [", low, ", ", extent, "), policy ",
                                PolicyName(policy)));
}

// Ok when all of `set` lies in [low, extent).
absl::Status CheckInside(OutOfBoundsPolicy policy, const AxisSet& set, int64_t low,
                         int64_t extent) {
  if (set.empty() || (set.first() >= low && set.end() <= extent)) return absl::OkStatus();
  return OutOfBounds(policy, set.first() < low ? set.first() : set.end() - 1, extent);
}

absl::StatusOr<AxisSet> Forbid(const AxisSet& set, int64_t extent, int64_t) {
  TESSERA_RETURN_IF_ERROR(CheckInside(OutOfBoundsPolicy::kForbid, set, 0, extent));
  return set;
}

absl::StatusOr<AxisSet> Torus(const AxisSet& set, int64_t extent, int64_t limit) {
  if (set.empty() || (set.first() >= 0 && set.end() <= extent)) return set;
  if (extent == 0) return OutOfBounds(OutOfBoundsPolicy::kTorus, set.first(), extent);
  TESSERA_ASSIGN_OR_RETURN(std::vector<Interval> list, set.Intervals(limit));
  std::vector<Interval> folded;
  for (Interval i : list) {
    int64_t first = FloorMod(i.first, extent), length = std::min(i.end - i.first, extent);
    folded.push_back({first, std::min(extent, first + length)});
    folded.push_back({0, first + length - extent});  // what went over the end; empty when negative
  }
  return AxisSet::OfIntervals(std::move(folded));
}

absl::StatusOr<AxisSet> Negative(const AxisSet& set, int64_t extent, int64_t limit) {
  TESSERA_RETURN_IF_ERROR(CheckInside(OutOfBoundsPolicy::kNegative, set, -extent, extent));
  TESSERA_ASSIGN_OR_RETURN(AxisSet from_end, set.Clip(-extent, 0).Translate(extent));
  return from_end.Union(set.Clip(0, extent), limit);
}

absl::StatusOr<AxisSet> Inside(const AxisSet& set, int64_t extent, int64_t) {
  return set.Clip(0, extent);
}

absl::StatusOr<AxisSet> Clamp(const AxisSet& set, int64_t extent, int64_t limit) {
  if (set.empty()) return set;
  if (extent == 0) return OutOfBounds(OutOfBoundsPolicy::kClamp, set.first(), extent);
  std::vector<Interval> ends;
  if (set.first() < 0) ends.push_back({0, 1});
  if (set.end() > extent) ends.push_back({extent - 1, extent});
  return set.Clip(0, extent).Union(AxisSet::OfIntervals(std::move(ends)), limit);
}

using Rule = absl::StatusOr<AxisSet> (*)(const AxisSet&, int64_t, int64_t);
constexpr Rule kRules[] = {Forbid, Torus, Negative, Inside, Inside, Clamp};

}  // namespace

absl::string_view PolicyName(OutOfBoundsPolicy policy) { return kNames[static_cast<int>(policy)]; }

absl::StatusOr<AxisSet> ApplyPolicy(OutOfBoundsPolicy policy, const AxisSet& set, int64_t extent,
                                    int64_t limit) {
  return kRules[static_cast<int>(policy)](set, extent, limit);
}

absl::StatusOr<std::optional<int64_t>> ApplyPolicy(OutOfBoundsPolicy policy, int64_t position,
                                                   int64_t extent) {
  if (position == kFar) return OverflowError("the end of a cell");
  TESSERA_ASSIGN_OR_RETURN(
      AxisSet cell, ApplyPolicy(policy, AxisSet::OfInterval(position, position + 1), extent));
  if (cell.empty()) return std::optional<int64_t>();
  return std::optional<int64_t>(cell.first());
}

}  // namespace tessera::projection
