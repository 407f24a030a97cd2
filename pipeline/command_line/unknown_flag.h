// The error for a flag that a verb does not have.
//
//   UnknownFlag(verbs, verb, "max-send")
//       // "`tessera lint` has no flag --max-send, did you mean 'max-sent'?; `tessera lint --help` .."
//   UnknownFlag(verbs, verb, "target")     // ".. no flag --target; `cost`, `diff` have it; .."
//
// Tested by command_line_test.cc and pipeline/project_file/settings_test.cc.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_UNKNOWN_FLAG_H_
#define TESSERA_PIPELINE_COMMAND_LINE_UNKNOWN_FLAG_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

// Names verbs of `verbs` that have the flag; where none has it, flags of `verb` that are spelled alike.
std::string UnknownFlag(const std::vector<Verb>& verbs, const Verb& verb, absl::string_view name);

// The first of the words that is such a flag, without dashes and value; "" if all are known.
std::string FirstUnknownFlag(const Verb& verb, const std::vector<std::string>& words);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_UNKNOWN_FLAG_H_
