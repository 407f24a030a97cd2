// The program of one device as a target's compiler leaves it, and the flags by which one looks into
// its passes.
//
//   TESSERA_ASSIGN_OR_RETURN(auto context, RunTarget(std::move(module), false, choice, arguments));
//   TargetLines(std::move(*context), mesh);
//   PrintedProgram(*context);              // HLO

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_RUN_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_RUN_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/target/pass.h"

namespace tessera::pipeline {

// --dump-after and --stop-after, of the passes of a target.
std::vector<Flag> TargetPassFlags();

// The flags of propagation, a target and its passes. --stage has two more values.
std::vector<Flag> FlagsWithTargetStages();
// With a target --stage says of which module the answer is, else at which place the input stands:
// InvalidArgument for a value of the other kind.
absl::Status CheckTargetStage(const Arguments& arguments, bool has_target);
// InvalidArgument with `reason` if one of TargetPassFlags() is given: for programs on which no pass of a target
// runs.
absl::Status CheckNoTargetPasses(const Arguments& arguments, absl::string_view reason);

// Runs the passes of the target on a partitioned module, up to the one of --stop-after. Those of its
// partitioner run if tessera partitioned the module, those after it without --stage=partitioned.
// InvalidArgument for a module that runs on another number of devices than the target has, and for a flag
// that does not read; errors of a pass have file, line and caret.
// `was_partitioned`: when the module was read.
absl::StatusOr<std::unique_ptr<target::Context>> RunTarget(hlo::Module module, bool was_partitioned,
                                                           const TargetChoice& choice,
                                                           const Arguments& arguments);

// The same, with target::PassesBeforeKernels() after the partitioner: the program that memory is predicted
// from.
absl::StatusOr<std::unique_ptr<target::Context>> RunBeforeKernels(hlo::Module module,
                                                                  bool was_partitioned,
                                                                  const TargetChoice& choice,
                                                                  const Arguments& arguments);

// A propagated module as the partitioner of the target leaves it. Errors as of MakeDeviceModule() and
// CheckDevices().
absl::StatusOr<std::unique_ptr<target::Context>> PartitionOn(const PartitionerInput& input,
                                                             const TargetChoice& choice);

// InvalidArgument for a module that runs on another number of devices than the target has.
absl::Status CheckDevices(const hlo::Module& module, const target::Target& target);

std::string PrintedProgram(const hlo::Module& module);
std::string PrintedProgram(const target::Context& context);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_RUN_H_
