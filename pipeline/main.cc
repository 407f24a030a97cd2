#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "google/protobuf/stubs/common.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/process/heap.h"
#include "tessera/pipeline/command_line/verbs.h"

#if GOOGLE_PROTOBUF_VERSION < 4022000
#include "google/protobuf/stubs/logging.h"
#endif

namespace {

// `bazel run` starts programs elsewhere and says where the user stands: files on the command line
// are meant from there.
bool EnterUsersFolder() {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  return folder == nullptr || chdir(folder) == 0;
}

// Protobuf's errors in a file stand in the errors of the verbs, with a place.
void SilenceProtobuf() {
#if GOOGLE_PROTOBUF_VERSION < 4022000  // those after it have no such handler
  google::protobuf::SetLogHandler(nullptr);
#endif
}

// Memory that runs out ends the process at once: Abseil's containers are not safe under exceptions,
// and an unwinding stack would free what a half-made element holds.
[[noreturn]] void EndForWantOfMemory() {
  constexpr char kMessage[] = "tessera: this input needs more memory than there is\n";
  const ssize_t written = write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  _exit(written < 0 ? 3 : 2);
}

// Bytes of the largest file that a word names; 0 if there is none.
size_t LargestFile(const std::vector<std::string>& words) {
  size_t largest = 0;
  for (const std::string& word : words) {
    struct stat info;
    if (stat(word.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    largest = std::max(largest, static_cast<size_t>(info.st_size));
  }
  return largest;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!EnterUsersFolder()) return 2;
  tessera::pipeline::PrepareHeap(LargestFile(words));
  SilenceProtobuf();
  std::set_new_handler(EndForWantOfMemory);
  std::ios::sync_with_stdio(false);
  return tessera::pipeline::RunCommandLine(tessera::pipeline::AllVerbs(), words, std::cout,
                                           std::cerr, tessera::pipeline::StandardOutput());
}
