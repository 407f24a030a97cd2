#include "tessera/pipeline/command_line/process/progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace tessera::pipeline {

Progress::Progress(std::string what, size_t total)
    : what_(std::move(what)), total_(total), is_watched_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (is_watched_) std::fputs("\r\033[K", stderr);
}

void Progress::Advance() {
  if (!is_watched_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  ++done_;
  if (total_ > 0) {
    std::fprintf(stderr, "\r%zu of %zu %s", done_, total_, what_.c_str());
  } else {
    std::fprintf(stderr, "\r%zu %s", done_, what_.c_str());
  }
}

}  // namespace tessera::pipeline
