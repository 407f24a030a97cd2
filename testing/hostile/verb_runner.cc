#include "tessera/testing/hostile/verb_runner.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/verbs.h"

namespace tessera::testing::hostile {
namespace {

void WriteFile(const std::string& path, absl::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

VerbRunner::VerbRunner(std::string folder) : folder_(std::move(folder)) {
  files_ = {Path("m.hlo"), Path("n.hlo"), Path("golden.txt"), Path("out.svg")};
  for (const pipeline::Verb& verb : pipeline::AllVerbs()) verbs_.push_back({verb});
}

std::string VerbRunner::Path(const char* name) const { return absl::StrCat(folder_, "/", name); }

int VerbRunner::Execute(size_t verb, const std::vector<std::string>& words) {
  std::ostringstream out, err;
  WriteFile(Path("words"), absl::StrJoin(words, "\n"));
  const int exit = pipeline::RunCommandLine(verbs_[verb], words, out, err);
  if (exit < 0 || exit >= kExits || (exit == 2 && err.str().empty())) std::abort();
  if (exit == 2) std::ofstream(Path("errors"), std::ios::app) << err.str();
  return exit;
}

int VerbRunner::Execute(const std::vector<std::string>& words) {
  size_t at = 0;
  while (at + 1 < verbs_.size() && verbs_[at][0].name != words[0]) ++at;
  return Execute(at, words);
}

void VerbRunner::SetModules(absl::string_view module, absl::string_view other) {
  WriteFile(files_.other, other);
  WriteFile(files_.golden, "");
  WriteFile(files_.module, module);
  Execute({"shardings", "--format=golden", files_.other, "-o", files_.golden});
}

void VerbRunner::MakeBinary(std::mt19937* random) {
  const std::string file = Path("m.pb");
  if (Execute({"print", files_.module, "--format=pb", "-o", file}) != 0) return;
  std::string bytes = ReadFile(file);
  for (unsigned n = (*random)() % 4; n > 0 && !bytes.empty(); --n) {
    bytes[(*random)() % bytes.size()] = static_cast<char>((*random)());
  }
  WriteFile(files_.module, bytes);
}

int VerbRunner::Run(size_t verb, std::mt19937* random) {
  return Execute(verb, RandomWords(verbs_[verb][0].name, files_, random));
}

}  // namespace tessera::testing::hostile
