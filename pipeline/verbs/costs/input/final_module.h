// Modules of one device, as the partitioner left them or a compiler finished them: their answer
// stands in them, nothing is propagated.
//
//   if (IsFinal(module)) TESSERA_RETURN_IF_ERROR(CheckNothingToPropagate(module, arguments));

#ifndef TESSERA_PIPELINE_VERBS_COSTS_INPUT_FINAL_MODULE_H_
#define TESSERA_PIPELINE_VERBS_COSTS_INPUT_FINAL_MODULE_H_

#include <string>

#include "absl/status/status.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/shard.h"
#include "tessera/target/target.h"

namespace tessera::pipeline {

bool IsFinal(const hlo::Module& module);
// Final, or as the partitioner left it.
bool IsOfOneDevice(const hlo::Module& module);

// InvalidArgument for a flag that decides shardings: it says nothing of a module that is
// partitioned. --mesh, which names axes, and --stage may stand.
absl::Status CheckNothingToPropagate(const hlo::Module& module, const Arguments& arguments);

// For a final module: InvalidArgument if it was compiled for another platform than the target's, or for another
// number of devices.
absl::Status CheckCompiledFor(const hlo::Module& module, const target::Target& target);
// A note where a final module has no schedule: a dump from inside of a compiler's pipeline.
std::string NoteOnNoSchedule(const hlo::Module& module);
// A note if nothing in a final module says that the compiler of the target's platform made it.
std::string NoteOnCompiler(const hlo::Module& module, const target::Target& target);
// Notes on a final module for a target: it has no schedule, no sign of the compiler of the target's
// platform, or a flag is about passes that no longer run.
std::string NotesOnFinal(const hlo::Module& module, const target::Target& target,
                         const Arguments& arguments);

// For verbs that propagate or partition: InvalidArgument for a module of one device, which has
// nothing left to cut, with the verbs that read it.
absl::Status CheckIsBeforePartitioner(const hlo::Module& module);

// The same, but a module that is not final may have its shardings from the options.
absl::Status CheckSaysShardings(const hlo::Module& module, const ShardOptions& options);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_INPUT_FINAL_MODULE_H_
