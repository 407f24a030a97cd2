// Where a mistake that was found in a cleaned module stands in the file that the user gave.
//
//   passes::CleanUp prints the module anew, so that its offsets mean nothing to the user:
//
//   absl::Status status = ...;                                  // places in cleaned.text()
//   LocatedInInput(status, cleaned, input).message();           // model.hlo:17:3: error: ...
//   LocatedInInput(status, input, std::nullopt).message();      // nothing was cleaned
//
// An instruction is found by its name; a copy of an inlined body by the name that it was made from
// (`dot.3.1`), or by its name without numbers, its shape and its op_name. Within an instruction the
// same text is looked for.

#ifndef TESSERA_PIPELINE_INPUT_LOCATION_REMAPPER_H_
#define TESSERA_PIPELINE_INPUT_LOCATION_REMAPPER_H_

#include <optional>

#include "absl/status/status.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/unread_module.h"

namespace tessera::pipeline {

// With file, line and caret for each mistake that has a place. No `input`: that of RememberInput(),
// else `cleaned` is the input.
absl::Status LocatedInInput(const absl::Status& status, const hlo::Module& cleaned,
                            const std::optional<hlo::UnreadModule>& input);

// For a cleaned module that goes through further passes: `input` stays beside its text.
void RememberInput(hlo::UnreadModule input, hlo::Module* cleaned);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_LOCATION_REMAPPER_H_
