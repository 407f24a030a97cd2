// Seconds for people: "3.4 ms". Tested by command_line_test.cc.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_FORMAT_SECONDS_H_
#define TESSERA_PIPELINE_COMMAND_LINE_FORMAT_SECONDS_H_

#include <string>

namespace tessera::pipeline {

// Three digits and the largest of s, ms, us and ns of which there is at least one, after rounding;
// whole seconds from 1000 on.
std::string FormatSeconds(double seconds);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_FORMAT_SECONDS_H_
