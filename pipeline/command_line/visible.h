// What a terminal shows of a text: names in a module may hold anything, and a terminal should not obey them.
//
//   Visible("a\x1b[2J");      // "a\\x1b[2J"
//
// Tested by command_line_test.cc.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_VISIBLE_H_
#define TESSERA_PIPELINE_COMMAND_LINE_VISIBLE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tessera::pipeline {

std::string Visible(absl::string_view text);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_VISIBLE_H_
