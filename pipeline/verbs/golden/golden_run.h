// A module that `check` and `diff` compare, propagated once and recorded.
//
//   OnGoldenRun(arguments, options, [&](const GoldenRun& run) -> absl::StatusOr<VerbResult> {
//     run.recording;                       // what a golden file says of it
//     GoldenReport report = ..;
//     TESSERA_RETURN_IF_ERROR(AddCauses(run, options, &report));
//     return ReportResult(arguments, report, run.notes);
//   });
//
// An open session keeps the runs. Tested by golden_verbs_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_RUN_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_RUN_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/verbs/golden/golden_report.h"
#include "tessera/sharding/explain/golden/recording.h"

namespace tessera::pipeline {

// Of a module, or what a golden file says of one.
struct GoldenRun {
  sharding::golden::Recording recording;
  std::optional<hlo::Module> module;  // cleaned; none of a golden file
  std::string notes;
  mutable std::unique_ptr<const Explained> explained;  // made when the first change asks why
};

// InvalidArgument for a module of one device; errors of Propagate() and Finalize().
absl::StatusOr<GoldenRun> RunGolden(hlo::Module module, const ShardOptions& options);

// The result of `answer` for the run of the named module.
VerbResult OnGoldenRun(const Arguments& arguments, const ShardOptions& options,
                       absl::FunctionRef<absl::StatusOr<VerbResult>(const GoldenRun&)> answer);

// Only what changed is explained: then the module of `after` runs once more.
absl::Status AddCauses(const GoldenRun& after, ShardOptions options, GoldenReport* report);

// Exit status 1 unless both sides are equal.
VerbResult ReportResult(const Arguments& arguments, const GoldenReport& report, std::string notes);

// Flags that choose from the tensors that changed.
std::vector<Flag> GoldenFilterFlags();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_RUN_H_
