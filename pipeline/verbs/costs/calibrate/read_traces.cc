#include "tessera/pipeline/verbs/costs/calibrate/read_traces.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

constexpr size_t kMostNames = 10;

absl::Status NoEvents(const hlo::Module& module, const std::vector<std::string>& files,
                      const cost::Trace& trace) {
  std::vector<std::string> names;
  for (const auto& [name, count] : trace.others) {
    if (names.size() < kMostNames) names.push_back(name);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      absl::StrJoin(files, ", "), ": no events of the module ", module.header().name,
      names.empty() ? ", and none of any other module"
                    : absl::StrCat("; there are some of ", absl::StrJoin(names, ", "))));
}

}  // namespace

absl::StatusOr<cost::Trace> ReadTraces(const hlo::Module& module,
                                       const std::vector<std::string>& files) {
  cost::Trace trace;
  for (const std::string& file : files) {
    TESSERA_RETURN_IF_ERROR(cost::AddTrace(file, module.header().name, &trace));
  }
  if (trace.ops.empty()) return NoEvents(module, files, trace);
  return trace;
}

}  // namespace tessera::pipeline
