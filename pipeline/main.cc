#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/heap.h"
#include "tessera/pipeline/command_line/verbs.h"

namespace {

// `bazel run` starts programs elsewhere and says where the user stands: files on the command line
// are meant from there.
bool EnterUsersFolder() {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  return folder == nullptr || chdir(folder) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  tessera::pipeline::PrepareHeap();
  std::ios::sync_with_stdio(false);
  if (!EnterUsersFolder()) return 2;
  return tessera::pipeline::RunCommandLine(tessera::pipeline::AllVerbs(), {argv + 1, argv + argc},
                                           std::cout, std::cerr);
}
