// Completion of verbs, flags, values and files in the shells, out of the table of verbs.

#ifndef TESSERA_PIPELINE_MANUAL_COMPLETION_H_
#define TESSERA_PIPELINE_MANUAL_COMPLETION_H_

#include <string>
#include <vector>

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline::manual {

// A file for bash-completion's folder `completions`.
std::string BashCompletion(const std::vector<Verb>& verbs);

// A file `_tessera` for a folder of zsh's $fpath.
std::string ZshCompletion(const std::vector<Verb>& verbs);

// A file for fish's `vendor_completions.d`.
std::string FishCompletion(const std::vector<Verb>& verbs);

}  // namespace tessera::pipeline::manual

#endif  // TESSERA_PIPELINE_MANUAL_COMPLETION_H_
