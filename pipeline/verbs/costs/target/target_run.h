// The program of one device as a target's compiler leaves it, and the flags by which one looks into
// its passes.
//
//   TESSERA_ASSIGN_OR_RETURN(auto context, RunTarget(std::move(module), is_made, choice, arguments));
//   TargetLines(std::move(*context), mesh);
//   PrintedProgram(*context);              // HLO

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_RUN_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_RUN_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/target/pass.h"

namespace tessera::pipeline {

// --dump-after and --stop-after, of the passes of a target.
std::vector<Flag> TargetPassFlags();

// Those of propagation, of which --stage has two more values.
std::vector<Flag> FlagsWithTargetStages();
// With a target --stage says of which module the answer is, else at which place the input stands:
// InvalidArgument for a value of the other kind.
absl::Status CheckTargetStage(const Arguments& arguments, bool has_target);

// Runs the passes of the target on a module that is partitioned: those of its partitioner if the
// module was made here, and those behind it, up to the one of --stop-after; none of the latter with
// --stage=partitioned. InvalidArgument for a module that runs on another
// number of devices than the target has, and for a flag that does not read; errors of a pass have
// file, line and caret.
absl::StatusOr<std::unique_ptr<target::Context>> RunTarget(hlo::Module module, bool is_made,
                                                           const TargetChoice& choice,
                                                           const Arguments& arguments);

// Only those of the target's partitioner, on a module that was made here, and those that run before kernels
// are made. Errors as of RunTarget().
absl::StatusOr<std::unique_ptr<target::Context>> RunBeforeKernels(hlo::Module module, bool is_made,
                                                                  const TargetChoice& choice);

// The peak of memory of a partitioned module, in bytes: the peak that `cost` prints. Errors as of
// RunBeforeKernels() and cost::MemoryOnTarget().
absl::StatusOr<int64_t> PeakOnTarget(const hlo::Module& module, bool is_made,
                                     const TargetChoice& choice);

// InvalidArgument for a module that runs on another number of devices than the target has.
absl::Status CheckDevices(const hlo::Module& module, const target::Target& target);

std::string PrintedProgram(const target::Context& context);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_RUN_H_
