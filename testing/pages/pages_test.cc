// Every command that README.md and the pages of docs/ show runs, and prints what the page says.
//
// The commands of a page run one after the other in one folder, so that a later one may read what
// an earlier one wrote. In it lie the project's examples/ and testing/, and `tessera` is the binary
// just built; `$ cd FOLDER` holds for what follows. Each ends with the exit status that the page
// says, and gives the output that is shown.
//
//     pages_test TESSERA PAGE..
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tessera/testing/pages/page.h"

namespace tessera::testing {
namespace {

namespace fs = std::filesystem;

struct Answer {
  int status;
  std::vector<std::string> lines;
};

// Both streams, as a reader of a terminal sees them.
Answer RunInShell(const fs::path& folder, const fs::path& bin, const std::string& command) {
  const std::string whole = absl::StrCat("cd ", folder.string(), " && export PATH=", bin.string(),
                                         ":$PATH && { ", command, "\n} 2>&1");
  FILE* pipe = popen(whole.c_str(), "r");
  std::string output;
  std::array<char, 4096> part;
  while (size_t size = fread(part.data(), 1, part.size(), pipe)) output.append(part.data(), size);
  const int status = pclose(pipe);
  absl::string_view text = output;
  absl::ConsumeSuffix(&text, "\n");
  Answer answer{WIFEXITED(status) ? WEXITSTATUS(status) : -1, {}};
  if (!text.empty()) answer.lines = absl::StrSplit(text, '\n');
  return answer;
}

// A new folder with the binary, and the project's files; commands may write beside the examples.
fs::path MakeFolder(const fs::path& tessera) {
  const fs::path folder = fs::path(::testing::TempDir()) / absl::StrCat("page_", getpid());
  fs::remove_all(folder);
  fs::create_directories(folder / "bin");
  fs::create_symlink(fs::canonical(tessera), folder / "bin" / "tessera");
  fs::copy("examples", folder / "examples", fs::copy_options::recursive);
  fs::create_symlink(fs::absolute("testing"), folder / "testing");
  return folder;
}

class PageTest : public ::testing::Test {
 public:
  PageTest(std::string tessera, std::string page)
      : tessera_(std::move(tessera)), page_(std::move(page)) {}

  void TestBody() override {
    std::ifstream in(page_);
    ASSERT_TRUE(in) << page_;
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const fs::path folder = MakeFolder(tessera_);
    fs::path here = folder;
    for (const PageCommand& command : CommandsOf(text)) {
      if (absl::StartsWith(command.text, "cd ")) {
        here /= command.text.substr(3);
      } else {
        Check(command, RunInShell(here, folder / "bin", command.text));
      }
    }
    fs::remove_all(folder);
  }

 private:
  void Check(const PageCommand& command, const Answer& answer) {
    const std::string where = absl::StrCat(page_, ":", command.line, ": ", command.text);
    const std::string printed =
        absl::StrCat("\nprints (status ", answer.status, "):\n", absl::StrJoin(answer.lines, "\n"));
    EXPECT_EQ(answer.status, command.status) << where << printed;
    if (command.expected.empty()) return;
    EXPECT_TRUE(MatchesOutput(command.expected, answer.lines)) << where << printed;
  }

  std::string tessera_;
  std::string page_;
};

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 2; i < argc; ++i) {
    const std::string tessera = argv[1], page = argv[i];
    ::testing::RegisterTest(
        "Pages", page.c_str(), nullptr, nullptr, __FILE__, __LINE__,
        [=]() -> ::testing::Test* { return new tessera::testing::PageTest(tessera, page); });
  }
  return RUN_ALL_TESTS();
}
