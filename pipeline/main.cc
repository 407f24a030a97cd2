#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "google/protobuf/stubs/common.h"
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

// What protobuf finds wrong with a file stands in the errors of the verbs, with a place.
void SilenceProtobuf() {
#if GOOGLE_PROTOBUF_VERSION < 4022000  // those behind it have no such handler
  google::protobuf::SetLogHandler(nullptr);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  tessera::pipeline::PrepareHeap();
  SilenceProtobuf();
  std::ios::sync_with_stdio(false);
  if (!EnterUsersFolder()) return 2;
  return tessera::pipeline::RunCommandLine(tessera::pipeline::AllVerbs(), {argv + 1, argv + argc},
                                           std::cout, std::cerr);
}
