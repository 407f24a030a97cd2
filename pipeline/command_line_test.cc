#include "tessera/pipeline/command_line.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

VerbResult Echo(const Arguments& a) {
  if (a.Get("mode") == "bad") return BadInput("a.hlo:1:1: error: bad");
  const std::string text =
      absl::StrCat(absl::StrJoin(a.positionals(), " "), "|", a.Get("mode"), "|",
                   absl::StrJoin(a.All("add"), "+"), "|", a.Has("loud") ? "loud" : "quiet", "\n");
  return a.Get("mode") == "find" ? Finding(text) : Done(text);
}

std::vector<Verb> Verbs() {
  Verb verb;
  verb.name = "echo";
  verb.summary = "says what it was told";
  verb.positionals = {{"FILE", "a file"}, {"NAME", "names", true, true}};
  verb.flags = {{"mode", "MODE", "how", "plain", false},
                {"add", "TEXT", "more", "", true},
                {"loud", "", "in capitals", "", false}};
  verb.examples = {{"tessera echo a.hlo", "says a.hlo"}};
  verb.run = Echo;
  return {verb};
}

struct Ran {
  int exit;
  std::string out, err;
};

Ran RunWords(const std::vector<std::string>& words) {
  std::ostringstream out, err;
  const int exit = RunCommandLine(Verbs(), words, out, err);
  return {exit, out.str(), err.str()};
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(CommandLine, GivesWordsToTheVerb) {
  EXPECT_EQ(RunWords({"echo", "a.hlo"}).out, "a.hlo|plain||quiet\n");
  EXPECT_EQ(
      RunWords({"echo", "a.hlo", "x", "y", "--mode=m", "--add=1", "--loud", "--add", "2"}).out,
      "a.hlo x y|m|1+2|loud\n");
  EXPECT_EQ(RunWords({"echo", "--add=1", "-"}).out, "-|plain|1|quiet\n");
  EXPECT_EQ(RunWords({"echo", "a", "--add=.*=P('data',None)"}).out,
            "a|plain|.*=P('data',None)|quiet\n");
}

TEST(CommandLine, ExitStatusSaysHowItWent) {
  EXPECT_EQ(RunWords({"echo", "a", "--mode=find"}).exit, 1);
  const Ran bad = RunWords({"echo", "a", "--mode=bad"});
  EXPECT_EQ(bad.exit, 2);
  EXPECT_EQ(bad.err, "a.hlo:1:1: error: bad\n");
}

TEST(CommandLine, SaysItsVersion) {
  const Ran ran = RunWords({"--version"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_THAT(ran.out, testing::StartsWith("tessera "));
}

// Not the next word.
TEST(CommandLine, AnEmptyValueIsAMistake) {
  const Ran ran = RunWords({"echo", "--mode=", "a"});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_EQ(ran.err, "--mode=: expected a value behind the sign\n");
}

TEST(CommandLine, ControlCharactersAreShown) {
  const auto fail = [](const Arguments&) { return BadInput("no \x1b[31mred\x7f"); };
  std::vector<Verb> verbs = Verbs();
  verbs[0].run = fail;
  std::ostringstream out, err;
  RunCommandLine(verbs, {"echo", "a"}, out, err);
  EXPECT_EQ(err.str(), "no \\x1b[31mred\\x7f\n");
}

TEST(CommandLine, BadUsageIsTwo) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{},
                                                {"sing"},
                                                {"echo"},
                                                {"echo", "a", "--nope"},
                                                {"echo", "a", "--mode=x", "--mode=y"}}) {
    const Ran ran = RunWords(words);
    EXPECT_EQ(ran.exit, 2) << absl::StrJoin(words, " ");
    EXPECT_NE(ran.err, "") << absl::StrJoin(words, " ");
  }
}

TEST(CommandLine, UnknownVerbNamesThoseThatAre) {
  const Ran ran = RunWords({"sing", "--help"});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_EQ(ran.err, "there is no verb 'sing'; there are echo\n");
}

TEST(CommandLine, HelpShowsExamples) {
  EXPECT_EQ(RunWords({"--help"}).exit, 0);
  EXPECT_THAT(RunWords({"--help"}).out, HasSubstr("says what it was told"));
  EXPECT_THAT(RunWords({"echo", "--help"}).out, HasSubstr("tessera echo a.hlo"));
}

TEST(CommandLine, OutputFileIsReplacedWhole) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/echo.txt");
  EXPECT_EQ(RunWords({"echo", "a", "-o", path}).out, "");
  EXPECT_EQ(ReadFile(path), "a|plain||quiet\n");
  EXPECT_EQ(RunWords({"echo", "a", "--mode=bad", "-o", path}).exit, 2);
  EXPECT_EQ(ReadFile(path), "a|plain||quiet\n");
  EXPECT_EQ(RunWords({"echo", "a", "-o", "no/such/folder/x"}).exit, 2);
}

TEST(CommandLine, AResultThatCannotBeWrittenIsAnError) {
  std::ostringstream out, err;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(RunCommandLine(Verbs(), {"echo", "a.hlo"}, out, err), 2);
  EXPECT_THAT(err.str(), testing::HasSubstr("cannot write"));
}

TEST(CommandLine, ReferencePageListsFlags) {
  EXPECT_THAT(ReferencePage(Verbs()), HasSubstr("| `--add=TEXT` | more; may be repeated |"));
}

}  // namespace
}  // namespace tessera::pipeline
