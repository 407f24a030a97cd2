// `tessera memory FILE --target=CHIP:TOPOLOGY`: the peak that the target's compiler will report.
//
//   MemoryOnTargetAnswer(std::move(module), arguments, filter, choice)

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_MEMORY_ON_TARGET_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_MEMORY_ON_TARGET_H_

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

// A finding if the program does not fit. --memory-limit takes the place of what the target has. With --stop-after
// the program after that pass.
// `module` is not final. Errors as of ReadTargetProgram().
absl::StatusOr<VerbResult> MemoryOnTargetAnswer(hlo::Module module, const Arguments& arguments,
                                                const ListFilter& filter,
                                                const TargetChoice& choice);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_MEMORY_ON_TARGET_H_
