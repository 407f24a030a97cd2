#include "tessera/pipeline/verbs/costs/collective_words.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::pipeline {

std::string AxesText(const CollectiveLine& line) {
  if (!line.axes.has_value()) return line.devices;
  return line.axes->empty() ? "one device" : absl::StrJoin(line.axis_names, ",");
}

std::string RunsText(const CollectiveLine& line) {
  return absl::StrCat(line.runs, line.unknown_runs ? "?" : "");
}

std::string SourceText(const CollectiveLine& line) {
  if (!line.location.empty()) return line.location;
  return line.op_name.empty() ? "(no line)" : line.op_name;
}

std::string Shortened(const std::string& text) {
  constexpr size_t kShown = 60;
  return text.size() <= kShown ? text : absl::StrCat(text.substr(0, kShown), "..");
}

}  // namespace tessera::pipeline
