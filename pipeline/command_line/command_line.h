// The command line: `tessera VERB FILE [NAME ...] [--flags]`.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_COMMAND_LINE_H_
#define TESSERA_PIPELINE_COMMAND_LINE_COMMAND_LINE_H_

#include <ostream>
#include <string>
#include <vector>

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

// Parses `words` (without the program's name) and runs the verb. With `-o` its result is in that
// file, which is replaced only when it has been written whole, and not in what is returned; of
// --help the text is the result. Never throws.
VerbResult RunVerb(const std::vector<Verb>& verbs, const std::vector<std::string>& words,
                   Session* session = nullptr);

enum class Output {
  kFile,      // also a pipe: every byte as it is
  kTerminal,  // control characters as \x1b, so that a name in a module cannot steer the terminal
};
Output StandardOutput();  // what the process's standard output is

// RunVerb() for a process: prints, and returns the exit status: 0 done, 1 a finding, 2 usage or bad
// input. `kind` is what `out` leads to; notes and errors are always printed as for a terminal.
int RunCommandLine(const std::vector<Verb>& verbs, const std::vector<std::string>& words,
                   std::ostream& out, std::ostream& err, Output kind = Output::kFile);

// docs/reference.md: every verb with its flags and examples.
std::string ReferencePage(const std::vector<Verb>& verbs);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_COMMAND_LINE_H_
