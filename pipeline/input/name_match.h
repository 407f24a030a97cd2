// What the NAME of a command line may be besides the name of an instruction.
//
//   HasOpName(module, id, "params['w']")       // its op_name; quotes may be left out
//   StandsAt(locations, id, "model.py:41")     // its line: the user's own, or the innermost
//   HasMatch(module, locations, id, regex)     // in its name, op_name or line
//
// For named_instruction.h and pipeline/explain/find_tensor.h, which look in this order. Tested by
// their tests.

#ifndef TESSERA_PIPELINE_INPUT_NAME_MATCH_H_
#define TESSERA_PIPELINE_INPUT_NAME_MATCH_H_

#include <string>

#include "absl/strings/string_view.h"
#include "re2/re2.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/input/source_locations.h"

namespace tessera::pipeline {

// Without quotes and backslashes: shells take them away.
std::string Unquoted(absl::string_view text);

bool HasOpName(const hlo::Module& module, hlo::InstructionId id, absl::string_view name);
bool StandsAt(const SourceLocations& locations, hlo::InstructionId id, absl::string_view place);
bool HasMatch(const hlo::Module& module, const SourceLocations& locations, hlo::InstructionId id,
              const RE2& regex);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_NAME_MATCH_H_
