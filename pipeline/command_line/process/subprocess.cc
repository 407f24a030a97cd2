#include "tessera/pipeline/command_line/process/subprocess.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tessera/pipeline/command_line/process/progress.h"
#include "tessera/text/status_macros.h"

extern char** environ;

namespace tessera::pipeline {
namespace {

using Clock = std::chrono::steady_clock;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// A file without a name: nothing blocks, however much is written.
File Scratch() { return File(std::tmpfile(), std::fclose); }

std::string ContentsOf(std::FILE* file) {
  std::string text;
  char piece[1 << 14];
  std::rewind(file);
  for (size_t n = 0; (n = std::fread(piece, 1, sizeof(piece), file)) > 0;) text.append(piece, n);
  return text;
}

absl::Status CannotStart(const std::string& program, int error) {
  const std::string message = absl::StrCat(program, ": ", std::strerror(error));
  return error == ENOENT ? absl::NotFoundError(message) : absl::UnavailableError(message);
}

absl::StatusOr<pid_t> Start(const std::vector<std::string>& words, std::FILE* out, std::FILE* err) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, fileno(out), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(err), STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return CannotStart(words[0], error);
  return child;
}

// Until the child ends, or is ended at the limit.
int WaitFor(pid_t child, int64_t seconds, const std::string& what, bool* timed_out) {
  const Clock::time_point begin = Clock::now();
  Progress progress(what, 0);
  int64_t shown = 0;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const auto passed =
        std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin).count();
    for (; shown < passed; ++shown) progress.Advance();
    if (passed >= seconds && !*timed_out) {
      *timed_out = true;
      kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return status;
}

}  // namespace

absl::StatusOr<ProcessResult> RunProcess(const std::vector<std::string>& words, int64_t seconds,
                                         const std::string& what) {
  const File out = Scratch(), err = Scratch();
  if (out == nullptr || err == nullptr) {
    return absl::UnavailableError(absl::StrCat("no file for the output of ", words[0]));
  }
  TESSERA_ASSIGN_OR_RETURN(const pid_t child, Start(words, out.get(), err.get()));
  ProcessResult result;
  const int status = WaitFor(child, seconds, what, &result.timed_out);
  result.exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.out = ContentsOf(out.get());
  result.err = ContentsOf(err.get());
  return result;
}

}  // namespace tessera::pipeline
