// Progress of long work, on a terminal.
//
//   Progress progress("variants", 1000);
//   ...
//   progress.Advance();          // from any thread
//
// Writes to standard error where that is a terminal, and takes its line away at the end; anywhere
// else it writes nothing.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_PROCESS_PROGRESS_H_
#define TESSERA_PIPELINE_COMMAND_LINE_PROCESS_PROGRESS_H_

#include <cstddef>
#include <mutex>
#include <string>

namespace tessera::pipeline {

class Progress {
 public:
  // A total of 0: it is not known.
  Progress(std::string what, size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Advance();

 private:
  const std::string what_;
  const size_t total_;
  const bool is_watched_;
  std::mutex mutex_;
  size_t done_ = 0;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_PROCESS_PROGRESS_H_
