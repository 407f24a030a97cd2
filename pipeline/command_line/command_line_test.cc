#include "tessera/pipeline/command_line/command_line.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/cost/sweep/parallel.h"
#include "tessera/pipeline/command_line/format_seconds.h"
#include "tessera/pipeline/command_line/help_text.h"
#include "tessera/pipeline/command_line/process/output_file.h"
#include "tessera/pipeline/command_line/proposed_command.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/command_line/unknown_flag.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

VerbResult Echo(const Arguments& a) {
  if (a.positional(0) == "memory") throw std::bad_alloc();
  if (a.positional(0) == "length") throw std::length_error("vector");
  if (a.positional(0) == "threads") {
    cost::ForEachIndex(64, 8, [](size_t) { throw std::bad_alloc(); });
  }
  if (a.Get("mode") == "bad") return BadInput("a.hlo:1:1: error: bad");
  const std::string text =
      absl::StrCat(absl::StrJoin(a.positionals(), " "), "|", a.Get("mode"), "|",
                   absl::StrJoin(a.All("add"), "+"), "|", a.Has("loud") ? "loud" : "quiet", "\n");
  VerbResult result = a.Get("mode") == "find" ? Finding(text) : Done(text);
  if (a.Get("mode") == "pieces") {
    result.rest = [](auto write) {
      for (absl::string_view piece : {"one\n", "two\n"}) write(piece);
    };
  }
  return result;
}

std::vector<Verb> Verbs() {
  Verb verb;
  verb.name = "echo";
  verb.summary = "says what it was told";
  verb.positionals = {{"FILE", "a file"}, {"NAME", "names", true, true}};
  verb.flags = {{"mode", "MODE", "how", "plain", false},
                {"add", "TEXT", "more", "", true},
                {"picture", "FILE", "a picture", "", false},
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

TEST(CommandLine, GivesWordsToTheVerb) {
  EXPECT_EQ(RunWords({"echo", "a.hlo"}).out, "a.hlo|plain||quiet\n");
  EXPECT_EQ(
      RunWords({"echo", "a.hlo", "x", "y", "--mode=m", "--add=1", "--loud", "--add", "2"}).out,
      "a.hlo x y|m|1+2|loud\n");
  EXPECT_EQ(RunWords({"echo", "--add=1", "-"}).out, "-|plain|1|quiet\n");
  EXPECT_EQ(RunWords({"echo", "a", "--add=.*=P('data',None)"}).out,
            "a|plain|.*=P('data',None)|quiet\n");
}

TEST(CommandLine, PiecesStandAfterTheResult) {
  constexpr char kAll[] = "a.hlo|pieces||quiet\none\ntwo\n";
  EXPECT_EQ(RunWords({"echo", "a.hlo", "--mode=pieces"}).out, kAll);
  EXPECT_EQ(RunVerb(Verbs(), {"echo", "a.hlo", "--mode=pieces"}).out, kAll);
  const std::string file = testing::TempDir() + "/pieces";
  EXPECT_EQ(RunWords({"echo", "a.hlo", "--mode=pieces", "-o", file}).out, "");
  EXPECT_EQ(ReadFile(file), kAll);
}

// Neither the word after it nor one between two flags.
TEST(CommandLine, ARepeatedFlagTakesOneWordEachTime) {
  EXPECT_EQ(RunWords({"echo", "a", "--add=1", "x", "--loud"}).out, "a x|plain|1|loud\n");
  EXPECT_EQ(RunWords({"echo", "a", "--add", "1", "x", "--add=2", "y"}).out,
            "a x y|plain|1+2|quiet\n");
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
  EXPECT_THAT(ran.out, testing::HasSubstr("of the pass of jaxlib 0.12.0.1"));
}

TEST(CommandLine, HelpFitsAScreen) {
  std::vector<Verb> verbs = Verbs();
  verbs[0].group = "see";
  verbs.push_back(verbs[0]);
  verbs[1].name = "alone";
  verbs[1].group = "also";
  verbs.push_back(verbs[0]);
  verbs[2].name = "former";
  verbs[2].instead = "echo";
  const std::string help = HelpText(verbs);
  EXPECT_THAT(help, HasSubstr("see      echo         says what it was told\n"
                              "also     alone        says what it was told\n"));
  EXPECT_THAT(help, testing::Not(HasSubstr("former")));
  std::ostringstream out, err;
  EXPECT_EQ(RunCommandLine(verbs, {"--help"}, out, err), 0);
  EXPECT_EQ(out.str(), help);
  RunCommandLine(verbs, {"former", "a"}, out, err);
  EXPECT_THAT(err.str(), HasSubstr("note: in place of `tessera former` there is `tessera echo`"));
}

// Not the next word.
TEST(CommandLine, AnEmptyValueIsAMistake) {
  const Ran ran = RunWords({"echo", "--mode=", "a"});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_EQ(ran.err, "--mode=: expected a value after '='\n");
}

TEST(CommandLine, ControlCharactersAreShown) {
  const auto fail = [](const Arguments&) { return BadInput("no \x1b[31mred\x7f"); };
  std::vector<Verb> verbs = Verbs();
  verbs[0].run = fail;
  std::ostringstream out, err;
  RunCommandLine(verbs, {"echo", "a"}, out, err);
  EXPECT_EQ(err.str(), "no \\x1b[31mred\\x7f\n");
}

// C1 controls in UTF-8 and alone steer terminals too.
TEST(CommandLine, ATerminalDoesNotObeyResults) {
  static const std::string result =
      "a\x1b]0;title\x07\tb\r\xc2\x9b"
      "2J\x9b\xc3\xa9\n";
  std::vector<Verb> verbs = Verbs();
  verbs[0].run = [](const Arguments&) { return Done(result); };
  std::ostringstream terminal, file, err;
  RunCommandLine(verbs, {"echo", "a"}, terminal, err, Output::kTerminal);
  EXPECT_EQ(terminal.str(), "a\\x1b]0;title\\x07\tb\\x0d\\xc2\\x9b2J\\x9b\xc3\xa9\n");
  RunCommandLine(verbs, {"echo", "a"}, file, err);
  EXPECT_EQ(file.str(), result);
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

TEST(CommandLine, AMissingWordIsNamedWithAnExample) {
  EXPECT_EQ(RunTessera(Verbs(), {"echo"}).err,
            "FILE is required: a file, as in `tessera echo a.hlo`\n");
}

TEST(CommandLine, AFaultNamesWhatIsExpected) {
  EXPECT_EQ(RunWords({"echo", "a", "--mode=x", "--mode=y"}).err,
            "--mode is given several times, expected once\n");
  EXPECT_EQ(RunWords({"echo", "a", "-o", "b", "-o", "c"}).err,
            "-o is given several times, expected once\n");
  EXPECT_EQ(RunWords({"echo", "a", "--mode"}).err, "--mode: expected a value: --mode=MODE\n");
  EXPECT_EQ(RunWords({"echo", "a", "--loud=very"}).err, "--loud takes no value\n");
  std::vector<Verb> verbs = Verbs();
  verbs[0].positionals.pop_back();
  EXPECT_EQ(RunTessera(verbs, {"echo", "a", "b", "c"}).err,
            "`tessera echo` takes FILE; one word too many: b\n");
}

TEST(CommandLine, WithoutWordsHelpIsNamed) {
  EXPECT_EQ(RunWords({}).err, "tessera: expected a verb; `tessera --help` lists them\n");
}

TEST(CommandLine, UnknownVerbNamesThoseThatAre) {
  const Ran ran = RunWords({"sing", "--help"});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_EQ(ran.err, "there is no verb 'sing'; there are echo\n");
}

TEST(CommandLine, UnknownWordsNameTheNearest) {
  EXPECT_EQ(RunWords({"ecko"}).err,
            "there is no verb 'ecko', did you mean 'echo'?; there are echo\n");
  const Ran ran = RunWords({"echo", "a", "--mod=x"});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_EQ(ran.err,
            "`tessera echo` has no flag --mod, did you mean '--mode'?; `tessera echo --help` lists "
            "its flags\n");
}

// A similar name does not help a user who knows the flag from another verb.
TEST(CommandLine, AFlagOfOtherVerbsNamesThem) {
  std::vector<Verb> verbs;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    verbs.emplace_back().name = name;
    verbs.back().flags = {{"table", "", "", ""}};
    if (verbs.size() > 1) verbs.back().flags.push_back({"target", "", "", ""});
  }
  EXPECT_EQ(UnknownFlag(verbs, verbs[0], "target"),
            "`tessera a` has no flag --target; `b`, `c`, `d`, `e` and 1 more have it; "
            "`tessera a --help` lists its flags");
  EXPECT_EQ(UnknownFlag({verbs[0], verbs[1]}, verbs[0], "target"),
            "`tessera a` has no flag --target; `b` has it; `tessera a --help` lists its flags");
}

TEST(CommandLine, HelpShowsExamples) {
  EXPECT_EQ(RunWords({"--help"}).exit, 0);
  EXPECT_THAT(RunWords({"--help"}).out, HasSubstr("         echo         says"));
  EXPECT_THAT(RunWords({"echo", "--help"}).out, HasSubstr("tessera echo a.hlo"));
  EXPECT_EQ(RunWords({"help", "echo"}).out, RunWords({"echo", "--help"}).out);
  EXPECT_EQ(RunWords({"help"}).out, RunWords({"--help"}).out);
}

TEST(CommandLine, AFlagBelongsToAVerb) {
  const Ran ran = RunWords({"--targets"});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_EQ(ran.err,
            "tessera has no flag --targets; `tessera --help` lists its verbs, which have flags\n");
}

TEST(ProposedCommand, WordsAreQuotedForAShell) {
  EXPECT_EQ(ShellWord("data=4,model=2"), "data=4,model=2");
  EXPECT_EQ(ShellWord("params['w']:0"), "\"params['w']:0\"");
  EXPECT_EQ(ShellWord("^a$=P(\"b\")"), "\"^a\\$=P(\\\"b\\\")\"");
  EXPECT_EQ(ShellWord(""), "\"\"");
}

TEST(ProposedCommand, FlagsOfTheUserAreRepeated) {
  Arguments arguments;
  arguments.Set("add", {"a", "b c"}, true);
  arguments.Set("mode", {"plain"}, false);
  arguments.Set("loud", {}, true);
  EXPECT_EQ(FlagsAgain(arguments, Verbs()[0].flags), " --add=a --add=\"b c\" --loud");
  arguments.MarkOfProject("add");
  EXPECT_EQ(FlagsAgain(arguments, Verbs()[0].flags), " --loud");
}

TEST(CommandLine, OutputFileIsReplacedWhole) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/echo.txt");
  EXPECT_EQ(RunWords({"echo", "a", "-o", path}).out, "");
  EXPECT_EQ(ReadFile(path), "a|plain||quiet\n");
  EXPECT_EQ(RunWords({"echo", "a", "--mode=bad", "-o", path}).exit, 2);
  EXPECT_EQ(ReadFile(path), "a|plain||quiet\n");
  EXPECT_EQ(RunWords({"echo", "a", "-o", "no/such/folder/x"}).exit, 2);
}

TEST(CommandLine, OutputGoesThroughALink) {
  const std::string file = absl::StrCat(::testing::TempDir(), "/linked.txt");
  const std::string link = absl::StrCat(::testing::TempDir(), "/link.txt");
  std::filesystem::remove(link);
  std::filesystem::create_symlink("linked.txt", link);
  EXPECT_EQ(RunWords({"echo", "a", "-o", link}).exit, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(ReadFile(file), "a|plain||quiet\n");
}

// The name gets a new file; what other names stand for is left alone.
TEST(CommandLine, OldContentStaysAfterOtherHardLinks) {
  const std::string file = absl::StrCat(::testing::TempDir(), "/hard.txt");
  const std::string other = absl::StrCat(::testing::TempDir(), "/other.txt");
  std::filesystem::remove(other);
  std::ofstream(file) << "old";
  std::filesystem::create_hard_link(file, other);
  EXPECT_EQ(RunWords({"echo", "a", "-o", file}).exit, 0);
  EXPECT_EQ(ReadFile(file), "a|plain||quiet\n");
  EXPECT_EQ(ReadFile(other), "old");
  EXPECT_EQ(std::filesystem::hard_link_count(file), 1u);
}

TEST(CommandLine, AnEmptyNameIsNoFile) {
  const Ran ran = RunWords({"echo", "a", "-o", ""});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_THAT(ran.err, HasSubstr("-o: expected the name of a file"));
}

// Review: front D17. Of a value that is read the message said that both write it.
TEST(CommandLine, TwoOutputsNeedTwoFiles) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/both.txt");
  const Ran ran = RunWords({"echo", "a", "--picture", path, "-o", path});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_THAT(ran.err, HasSubstr("--picture and -o both name "));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(CommandLine, OutOfMemoryIsAnError) {
  for (const char* const what : {"memory", "length", "threads"}) {
    const Ran ran = RunWords({"echo", what});
    EXPECT_EQ(ran.exit, 2);
    EXPECT_THAT(ran.err, HasSubstr("more memory than there is"));
  }
}

// Signals wait while a file is written, and then end the program as ever; nothing is left behind.
TEST(CommandLine, ASignalLeavesNoFile) {
  const std::string folder = absl::StrCat(::testing::TempDir(), "/signals");
  std::filesystem::create_directories(folder);
  const auto write_interrupted = [&] {
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, nullptr);
    kill(getpid(), SIGINT);
    (void)WriteWholeFile(folder + "/x", std::string(1 << 20, 'x')).ok();
    sigprocmask(SIG_UNBLOCK, &interrupt, nullptr);
  };
  EXPECT_EXIT(write_interrupted(), ::testing::KilledBySignal(SIGINT), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(CommandLine, AResultThatCannotBeWrittenIsAnError) {
  std::ostringstream out, err;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(RunCommandLine(Verbs(), {"echo", "a.hlo"}, out, err), 2);
  EXPECT_THAT(err.str(), testing::HasSubstr("cannot write"));
}

TEST(FormatSeconds, ThreeDigitsAndNoExponent) {
  EXPECT_EQ(FormatSeconds(0), "0 ns");
  EXPECT_EQ(FormatSeconds(12e-9), "12 ns");
  EXPECT_EQ(FormatSeconds(999.4e-6), "999 us");
  EXPECT_EQ(FormatSeconds(999.6e-6), "1 ms");
  EXPECT_EQ(FormatSeconds(0.0123456), "12.3 ms");
  EXPECT_EQ(FormatSeconds(999.4), "999 s");
  EXPECT_EQ(FormatSeconds(1234.4), "1234 s");
}

TEST(CommandLine, ReferencePageListsFlags) {
  EXPECT_THAT(ReferencePage(Verbs()), HasSubstr("| `--add=TEXT` | more; may be repeated |"));
}

}  // namespace
}  // namespace tessera::pipeline
