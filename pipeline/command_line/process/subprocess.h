// Another program, run to its end or to a limit of time.
//
//   absl::StatusOr<ProcessResult> run = RunProcess({"python3", "compile.py"}, seconds, "compiling");
//   run->exit;               // its exit status; 128 + the signal that ended it
//   run->timed_out;          // it was ended at the limit
//   run->out, run->err;      // what it wrote
//
// The first word is looked up as a shell does. Where standard error is a terminal and the run takes
// longer than a second, a line there counts the seconds. Tested by subprocess_test.cc.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_PROCESS_SUBPROCESS_H_
#define TESSERA_PIPELINE_COMMAND_LINE_PROCESS_SUBPROCESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tessera::pipeline {

struct ProcessResult {
  int exit = 0;
  bool timed_out = false;
  std::string out, err;
};

// `words` is not empty. `what`: of the line on the terminal. NotFound if there is no such program;
// Unavailable if it cannot be started or read.
absl::StatusOr<ProcessResult> RunProcess(const std::vector<std::string>& words, int64_t seconds,
                                         const std::string& what);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_PROCESS_SUBPROCESS_H_
