// Instructions as users name them.
//
//   FindNamed(module, "dot.3");          // of the entry, or of the one computation that has it
//   FindNamed(module, "%body/dot.3");    // names are unique in a computation only
//   FindNamed(module, "params['w']");    // by its op_name
//   FindNamed(module, "model.py:41");    // the one instruction of a line
//   FindNamed(module, "attn.*softmax");  // the one with a match (name_match.h)
//
// The first of these kinds that fits counts. pipeline/explain/find_tensor.h names tensors of a
// propagated module so. Cost: linear in the module for each name. Tested by
// named_instruction_test.cc.

#ifndef TESSERA_PIPELINE_INPUT_NAMED_INSTRUCTION_H_
#define TESSERA_PIPELINE_INPUT_NAMED_INSTRUCTION_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline {

// NotFound; InvalidArgument, with the ways to say it, if several have the name.
absl::StatusOr<hlo::InstructionId> FindNamed(const hlo::Module& module, absl::string_view name);

// All instructions that the name fits, in order of the text: of the first kind that fits any.
std::vector<hlo::InstructionId> FindAllNamed(const hlo::Module& module, absl::string_view name);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_NAMED_INSTRUCTION_H_
