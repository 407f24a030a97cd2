// Cuts a module to the instruction that matters.
//
//   reduce FILE --check='COMMAND with {}' [-o OUT]
//
// COMMAND runs in a shell with {} replaced by the path of a candidate; exit status 0 means: still
// interesting. The result goes to OUT or the standard output, a summary to the standard error. Exit
// status: 0, 1 if the module cannot be read or is not interesting, 2 on bad usage.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tessera/testing/reduce/reduce.h"

namespace tessera::testing::reduce {
namespace {

struct Flags {
  std::string file, check, out;
};

bool Read(const std::vector<std::string>& arguments, Flags* flags) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (absl::StartsWith(arguments[i], "--check=")) {
      flags->check = arguments[i].substr(8);
    } else if (arguments[i] == "-o" && i + 1 < arguments.size()) {
      flags->out = arguments[++i];
    } else if (flags->file.empty() && !absl::StartsWith(arguments[i], "-")) {
      flags->file = arguments[i];
    } else {
      return false;
    }
  }
  return !flags->file.empty() && absl::StrContains(flags->check, "{}");
}

int Run(const Flags& flags) {
  std::ifstream in(flags.file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  const std::filesystem::path candidate =
      std::filesystem::temp_directory_path() / absl::StrCat("reduce.", getpid(), ".hlo");
  const std::string command = absl::StrReplaceAll(flags.check, {{"{}", candidate.string()}});
  const auto reduced = Reduce(text.str(), [&](const std::string& module) {
    std::ofstream(candidate, std::ios::binary) << module;
    return std::system(command.c_str()) == 0;
  });
  std::filesystem::remove(candidate);
  if (!reduced.ok()) {
    std::cerr << flags.file << ": " << reduced.status().message() << "\n";
    return 1;
  }
  if (flags.out.empty()) {
    std::cout << reduced->text;
  } else {
    std::ofstream(flags.out, std::ios::binary) << reduced->text;
  }
  std::cerr << reduced->instructions_before << " -> " << reduced->instructions_after
            << " instructions, " << reduced->checks << " checks\n";
  return 0;
}

}  // namespace
}  // namespace tessera::testing::reduce

int main(int argc, char** argv) {
  tessera::testing::reduce::Flags flags;
  if (!tessera::testing::reduce::Read({argv + 1, argv + argc}, &flags)) {
    std::cerr << "usage: reduce FILE --check='COMMAND with {}' [-o OUT]\n";
    return 2;
  }
  return tessera::testing::reduce::Run(flags);
}
