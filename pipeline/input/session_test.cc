#include "tessera/pipeline/input/session.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/verbs.h"
#include "tessera/text/error_place.h"
#include "tessera/text/source.h"

namespace tessera::pipeline {
namespace {

constexpr char kModule[] = R"(HloModule m

ENTRY e {
  x = f32[8,16] parameter(0)
  w = f32[16,4] parameter(1)
  ROOT y = f32[8,4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

const std::vector<std::string>& Settings() {
  static const auto* const settings =
      new std::vector<std::string>{"--mesh=a=4", "--annotate=^x$=P(None,'a')"};
  return *settings;
}

VerbResult Ask(Session* session, std::vector<std::string> words) {
  words.insert(words.end(), Settings().begin(), Settings().end());
  return RunVerb(AllVerbs(), words, session);
}

Session SessionOf(const std::string& text) {
  Session session;
  session.AddFile("-", text::Source::FromString("<text>", text));
  return session;
}

// Every question that keeps something, asked twice in one session and in one of its own.
TEST(SessionTest, AnswersAreThoseOfTheCommandLine) {
  const std::string path = ::testing::TempDir() + "/session.hlo";
  std::ofstream(path) << kModule;
  Session session = SessionOf(kModule);
  const std::vector<std::vector<std::string>> questions = {
      {"shardings"},
      {"explain", "y"},
      {"explain", "w"},
      {"explain", "--trace"},
      {"memory"},
      {"memory", "--memory-limit=100B"},
      {"comm"},
      {"comm", "--target=tpu-v5e:2x2"},
      {"reshards"},
      {"collectives"},
      {"shard"},
      {"shardings", "--format=golden"},
      {"shardings", "--match=^y$"},
      {"shardings", "--match=^y$", "--propagated"},
      {"diff", "--b-annotate=^w$=P('a')", "--match=^y$"},
      {"diff", "--b-annotate=^w$=P('a')"},
      {"diff", "--b-annotate=^w$=P(None,'a')"},
      {"diff", "--annotate=^w$=P('a')"}};
  for (std::vector<std::string> words : questions) {
    words.insert(words.begin() + 1, path);
    const VerbResult alone = Ask(nullptr, words);
    words[1] = "-";
    for (int time = 0; time < 2; ++time) {
      const VerbResult kept = Ask(&session, words);
      EXPECT_EQ(kept.out, alone.out) << words[0];
      EXPECT_EQ(kept.exit, alone.exit) << words[0];
      EXPECT_NE(kept.exit, Exit::kBadInput) << kept.notes;
    }
  }
}

TEST(SessionTest, AFileIsReadOnce) {
  const std::string path = ::testing::TempDir() + "/read_once.hlo";
  std::ofstream(path) << kModule;
  Session session;
  const std::string before = Ask(&session, {"explain", path, "y"}).out;
  std::ofstream(path) << "HloModule other\n";
  EXPECT_EQ(Ask(&session, {"explain", path, "y"}).out, before);
  Session variant = session.WithSameFiles();
  EXPECT_EQ(Ask(&variant, {"explain", path, "y"}).out, before);
}

TEST(SessionTest, OtherSettingsAreNotMixedUp) {
  Session session = SessionOf(kModule);
  const auto spec = [&](const std::string& annotation) {
    return RunVerb(AllVerbs(), {"explain", "-", "y", "--mesh=a=4", "--annotate=" + annotation},
                   &session)
        .out;
  };
  const std::string rows = spec("^x$=P('a')"), columns = spec("^w$=P(None,'a')");
  EXPECT_TRUE(absl::StrContains(rows, "P('a', None)")) << rows;
  EXPECT_TRUE(absl::StrContains(columns, "P(None, 'a')")) << columns;
  EXPECT_EQ(spec("^x$=P('a')"), rows);
}

TEST(SessionTest, FilesOfFlags) {
  Session session = SessionOf(kModule);
  session.AddFile(
      "golden",
      text::Source::FromString("golden", Ask(&session, {"shardings", "-", "--format=golden"}).out));
  session.AddFile("names", text::Source::FromString("names", "out['y']\n"));
  EXPECT_EQ(Ask(&session, {"check", "-", "golden"}).exit, Exit::kDone);
  const VerbResult named = Ask(&session, {"shardings", "-", "--result-names=names"});
  EXPECT_TRUE(absl::StrContains(named.out, "out['y']")) << named.out << named.notes;
}

// A session makes both forms at once.
TEST(SessionTest, TheTextComesWithTheJson) {
  Session session = SessionOf(kModule);
  session.AddFile(
      "golden",
      text::Source::FromString("golden", Ask(&session, {"shardings", "-", "--format=golden"}).out));
  const std::vector<std::vector<std::string>> questions = {
      {"explain", "-"}, {"explain", "-", "y:1", "--axis=a", "--forward"},
      {"memory", "-"},  {"comm", "-"},
      {"diff", "-"},    {"check", "-", "golden", "--annotate=^w$=P('a')"}};
  for (std::vector<std::string> words : questions) {
    const std::string text = Ask(&session, words).out;
    words.push_back("--json");
    const VerbResult both = Ask(&session, words);
    EXPECT_EQ(both.text, text) << words[0];
    EXPECT_EQ(both.out.substr(0, 1), "{") << words[0];
  }
}

TEST(SessionTest, AnErrorHasItsPlace) {
  Session session = SessionOf("HloModule m\nENTRY e {\n  ROOT y = f32[2] tanh(q)\n}\n");
  const VerbResult result = Ask(&session, {"shardings", "-"});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  const auto place = text::FindErrorPlace(result.error);
  ASSERT_TRUE(place.has_value()) << result.notes;
  EXPECT_EQ(place->file, "<text>");
  EXPECT_EQ(place->line, 3);
  EXPECT_TRUE(absl::StrContains(result.notes, place->message));
}

TEST(SessionTest, AnErrorOfTheWordsHasNone) {
  Session session = SessionOf(kModule);
  const VerbResult result = Ask(&session, {"shardings", "-", "--no-such-flag"});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_FALSE(result.error.ok());
  EXPECT_FALSE(text::FindErrorPlace(result.error).has_value());
}

}  // namespace
}  // namespace tessera::pipeline
