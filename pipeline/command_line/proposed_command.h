// Words of a command that an answer proposes to the user.
//
//   ShellWord("params['w']:0")         // "params['w']:0" in double quotes
//   FlagsAgain(arguments, flags)       // " --mesh=data=4 --target=tpu-v5e:4x4"
//
// Tested by command_line_test.cc.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_PROPOSED_COMMAND_H_
#define TESSERA_PIPELINE_COMMAND_LINE_PROPOSED_COMMAND_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

// The text as one word of a POSIX shell, in double quotes if it needs quotes.
std::string ShellWord(absl::string_view text);

// Those of `flags` that the user gave, each with a space in front. Flags of the project file are
// left out: the next command reads the file, too.
std::string FlagsAgain(const Arguments& arguments, const std::vector<Flag>& flags);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_PROPOSED_COMMAND_H_
