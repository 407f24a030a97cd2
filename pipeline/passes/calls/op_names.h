// op_name of instructions that come out of an inlined call.

#ifndef TESSERA_PIPELINE_PASSES_CALLS_OP_NAMES_H_
#define TESSERA_PIPELINE_PASSES_CALLS_OP_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline::passes {

// Puts `prefix/` in front of the op_name, unless the name begins with `prefix` already, `prefix` is
// empty, or both together reach 1024 bytes. Bodies of loops and conditionals are named likewise.
void PrefixOpNames(hlo::Module* module, hlo::InstructionId id, absl::string_view prefix);

// The text of metadata={..} with another op_name, the rest unchanged.
std::string WithOpName(absl::string_view metadata, absl::string_view op_name);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_CALLS_OP_NAMES_H_
