#include <iostream>

#include "tessera/pipeline/command_line.h"
#include "tessera/pipeline/verbs.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return tessera::pipeline::RunCommandLine(tessera::pipeline::AllVerbs(), {argv + 1, argv + argc},
                                           std::cout, std::cerr);
}
