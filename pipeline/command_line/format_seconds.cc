#include "tessera/pipeline/command_line/format_seconds.h"

#include "absl/strings/str_format.h"

namespace tessera::pipeline {
namespace {

struct TimeUnit {
  const char* name;
  double seconds;
};
constexpr TimeUnit kTimeUnits[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};

}  // namespace

std::string FormatSeconds(double seconds) {
  for (const TimeUnit& unit : kTimeUnits) {
    const double count = seconds / unit.seconds;
    // A number rounded to 1000 is 1 of the next unit.
    if (count < 999.5) return absl::StrFormat("%.3g %s", count, unit.name);
  }
  return absl::StrFormat("%.0f s", seconds);
}

}  // namespace tessera::pipeline
