// A module as Shardy gets it on a target: what the target's compiler does in front of it is done.
//
//   TESSERA_ASSIGN_OR_RETURN(module, BeforeShardy(std::move(module), choice, arguments));

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_FRONT_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_FRONT_H_

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/shard_options.h"

namespace tessera::pipeline {

// The given one where nothing is propagated any more (its shardings are final, or it is
// partitioned). Else it has no calls but those of shard_maps and those that the target keeps. Its
// instructions keep their places in the text, for errors; new ones have none. Errors as of
// passes::CleanUp().
absl::StatusOr<hlo::Module> BeforeShardy(hlo::Module module, const TargetChoice& choice,
                                         const Arguments& arguments);

// InvalidArgument where --mesh, or without it the module, is for another number of devices than the target.
absl::Status CheckFitsTarget(const hlo::Module& module, const target::Target& target,
                             const Arguments& arguments);

// Both: for a program that runs on all devices of the target.
absl::StatusOr<hlo::Module> ForTarget(hlo::Module module, const TargetChoice& choice,
                                      const Arguments& arguments);

// The passes of both as those of ShardPipeline(), to be listed and looked into one by one, for a verb whose arguments
// have --target. The pipeline ends with a new module, not with edits of the text. Errors as of ReadTarget().
absl::Status PutInFront(const Arguments& arguments, ShardOptions* options);

// The same for --target of the arguments, and the given module without the flag. Errors as of
// ReadTarget(), too.
absl::StatusOr<hlo::Module> ForTarget(hlo::Module module, const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_FRONT_H_
