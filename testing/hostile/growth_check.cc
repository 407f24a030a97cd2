#include "tessera/testing/hostile/growth_check.h"

#include <algorithm>

namespace tessera::testing::hostile {
namespace {

constexpr double kMoreOfTime = 2;
constexpr int kRuns = 3;

double Growth(int64_t of, int64_t to) {
  return of <= 0 ? 0.0 : static_cast<double>(to) / static_cast<double>(of);
}

// Of the least times: other programs only add to them.
double GrowthOfTime(double most, const std::function<Work()>& small,
                    const std::function<Work()>& large, Work less, Work more) {
  for (int run = 1; run < kRuns && Growth(less.cpu_time, more.cpu_time) > most; ++run) {
    less.cpu_time = std::min(less.cpu_time, small().cpu_time);
    more.cpu_time = std::min(more.cpu_time, large().cpu_time);
  }
  return Growth(less.cpu_time, more.cpu_time);
}

::testing::AssertionResult AtMost(double most, double growth, const char* what) {
  if (growth <= most) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << what << " grow " << growth << " times, not " << most;
}

}  // namespace

::testing::AssertionResult GrowsAtMost(double most, const std::function<Work()>& small,
                                       const std::function<Work()>& large) {
  const Work less = small(), more = large();
  const auto bytes = AtMost(most, Growth(less.bytes, more.bytes), "bytes");
  if (!bytes) return bytes;
  if (more.instructions > 0) {
    return AtMost(most, Growth(less.instructions, more.instructions), "instructions");
  }
  most *= kMoreOfTime;
  return AtMost(most, GrowthOfTime(most, small, large, less, more), "nanoseconds");
}

}  // namespace tessera::testing::hostile
