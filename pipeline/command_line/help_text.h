// What `tessera --help` prints: the verbs by the question that they answer, on one screen of 24
// lines of 80 letters. Verbs of no group are listed by their names alone.
//
// Tested by command_line_test.cc.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_HELP_TEXT_H_
#define TESSERA_PIPELINE_COMMAND_LINE_HELP_TEXT_H_

#include <string>
#include <vector>

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

std::string HelpText(const std::vector<Verb>& verbs);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_HELP_TEXT_H_
