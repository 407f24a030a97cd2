#include "tessera/pipeline/verbs/golden/golden_run.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/golden/golden_causes.h"
#include "tessera/pipeline/verbs/golden/module_recording.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {

absl::StatusOr<GoldenRun> RunGolden(hlo::Module module, const ShardOptions& options) {
  TESSERA_RETURN_IF_ERROR(CheckSaysShardings(module, options));
  TESSERA_ASSIGN_OR_RETURN(auto sharded, Propagate(std::move(module), options));
  TESSERA_RETURN_IF_ERROR(Finalize(options, sharded.get()));
  ReleaseRun(sharded.get());
  GoldenRun run;
  run.recording = RecordingOf(*sharded, options.reference.version);
  run.notes = absl::StrJoin(sharded->notes, "");
  run.module = std::move(sharded->module);
  return run;
}

VerbResult OnGoldenRun(const Arguments& arguments, const ShardOptions& options,
                       absl::FunctionRef<absl::StatusOr<VerbResult>(const GoldenRun&)> answer) {
  return OnPrepared<GoldenRun>(
      arguments, PropagationKey(arguments),
      [&](hlo::Module module) { return RunGolden(std::move(module), options); }, answer);
}

absl::Status AddCauses(const GoldenRun& after, ShardOptions options, GoldenReport* report) {
  if (!after.module.has_value() || report->comparison.changes.empty()) return absl::OkStatus();
  if (after.explained == nullptr) {
    options.stage = Stage::kPass;  // the module has been cleaned
    TESSERA_ASSIGN_OR_RETURN(Explained now, RunExplained(*after.module, options));
    after.explained = std::make_unique<const Explained>(std::move(now));
  }
  report->causes = FindCauses(report->comparison, after.recording, *after.explained);
  return absl::OkStatus();
}

VerbResult ReportResult(const Arguments& arguments, const GoldenReport& report, std::string notes) {
  constexpr size_t kMost = 5;
  const size_t most = arguments.Has("top") ? arguments.Count("top").value_or(0) : kMost;
  VerbResult result = InBothForms(
      arguments, [&] { return GoldenJson(report); }, [&] { return GoldenText(report, most); },
      std::move(notes));
  if (!IsEqual(report)) result.exit = Exit::kFinding;
  return result;
}

std::vector<Flag> GoldenFilterFlags() {
  return ListFilter::Flags("tensors", "that gained or lost", "whose part on a device takes");
}

}  // namespace tessera::pipeline
