// The form of a text for a terminal, which should not obey control characters in names of a module.
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
