#include "tessera/pipeline/command_line/format_seconds.h"

#include "absl/strings/str_format.h"

namespace tessera::pipeline {

std::string FormatSeconds(double seconds) {
  if (seconds >= 1) return absl::StrFormat("%.3g s", seconds);
  if (seconds >= 1e-3) return absl::StrFormat("%.3g ms", seconds * 1e3);
  if (seconds < 1e-6) return absl::StrFormat("%.3g ns", seconds * 1e9);
  return absl::StrFormat("%.3g us", seconds * 1e6);
}

}  // namespace tessera::pipeline
