#include "tessera/cost/step/loop_runs.h"

#include "tessera/hlo/error_at.h"
#include "tessera/projection/cost/compute/trip_count.h"
#include "tessera/text/checked.h"

namespace tessera::cost {

using sharding::partition::Body;

bool IsInLoop(const Body& body) {
  return body.role == Body::Role::kLoop || body.role == Body::Role::kCondition;
}

absl::StatusOr<LoopRuns::Count> LoopRuns::Of(int32_t index) {
  Count count;
  for (; index > 0; index = found_.bodies[static_cast<size_t>(index)].parent) {
    const Body& body = found_.bodies[static_cast<size_t>(index)];
    if (!IsInLoop(body)) continue;
    const std::optional<int64_t> runs = PerCall(body);
    count.known &= runs.has_value();
    if (!MultiplyFits(count.runs, runs.value_or(1), &count.runs)) {
      return hlo::ErrorAt(module_, body.caller,
                          "this loop and those around it run more than 2^63 times");
    }
  }
  return count;
}

std::optional<int64_t> LoopRuns::PerCall(const Body& body) {
  std::optional<int64_t> runs;
  if (body.trips > 0) {
    runs = body.trips;
  } else {
    const auto [it, is_new] = trips_.try_emplace(body.caller);
    if (is_new) it->second = projection::TripCount(module_, body.caller);
    runs = it->second;
  }
  // A condition is asked once more than the body runs.
  if (runs.has_value() && body.role == Body::Role::kCondition) ++*runs;
  return runs;
}

}  // namespace tessera::cost
