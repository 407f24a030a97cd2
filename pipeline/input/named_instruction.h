// Instructions as users name them. Names are unique in a computation only: the entry goes first,
// and COMPUTATION/NAME says which one is meant where several computations have the name.
//
//   FindNamed(module, "dot.3");          // of the entry, or of the one computation that has it
//   FindNamed(module, "%body/dot.3");

#ifndef TESSERA_PIPELINE_INPUT_NAMED_INSTRUCTION_H_
#define TESSERA_PIPELINE_INPUT_NAMED_INSTRUCTION_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline {

// NotFound; InvalidArgument, with the ways to say it, if several have the name.
absl::StatusOr<hlo::InstructionId> FindNamed(const hlo::Module& module, absl::string_view name);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_NAMED_INSTRUCTION_H_
