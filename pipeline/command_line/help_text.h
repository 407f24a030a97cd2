// The text of `tessera --help`: the verbs by the question that they answer, on one screen of 24
// lines of 80 letters. Verbs of no group are listed by their names alone.
//
// Tested by command_line_test.cc.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_HELP_TEXT_H_
#define TESSERA_PIPELINE_COMMAND_LINE_HELP_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

std::string HelpText(const std::vector<Verb>& verbs);

// The text in lines of at most so many letters, broken at blanks; its own line breaks stay.
std::string Wrapped(absl::string_view text, size_t columns);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_HELP_TEXT_H_
