// The words that a flag's placeholder allows, for the completions.
//
//   "keep|xla"  -> {"keep", "xla"}        "AXES" -> {}, for the user's own words
//   "FILE|PRESET" -> {}, and it takes files

#ifndef TESSERA_PIPELINE_MANUAL_VERB_WORDS_H_
#define TESSERA_PIPELINE_MANUAL_VERB_WORDS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline::manual {

// The values of a flag, where its placeholder lists them: lower-case words between bars.
std::vector<std::string> Choices(const Flag& flag);

// Does a file name complete it?
bool TakesFile(const Flag& flag);

}  // namespace tessera::pipeline::manual

#endif  // TESSERA_PIPELINE_MANUAL_VERB_WORDS_H_
