// No flag of a verb is forgotten: a new one fails here until random_flags.cc has values for it.

#include "tessera/testing/hostile/random_words.h"

#include <random>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/verbs.h"

namespace tessera::testing::hostile {
namespace {

using ::testing::IsEmpty;

constexpr int kCommandLines = 3000;

// --reference, --mesh, .. as the help of the verb lists them.
std::set<std::string> FlagsOf(const pipeline::Verb& verb) {
  std::ostringstream out, err;
  pipeline::RunCommandLine({verb}, {verb.name, "--help"}, out, err);
  std::set<std::string> flags;
  const std::string help = out.str();
  for (const absl::string_view line : absl::StrSplit(help, '\n')) {
    if (!absl::StartsWith(line, "  --")) continue;
    flags.emplace(line.substr(2, line.find_first_of(" \n", 2) - 2));
  }
  return flags;
}

std::set<std::string> TypedFlags(const std::string& verb) {
  std::set<std::string> flags;
  std::mt19937 random(1);
  for (int i = 0; i < kCommandLines; ++i) {
    for (const std::string& word : RandomWords(verb, {"m", "n", "g", "o"}, &random)) {
      if (absl::StartsWith(word, "--")) flags.insert(word.substr(0, word.find('=')));
    }
  }
  return flags;
}

TEST(RandomWords, HaveEveryFlagOfEveryVerb) {
  for (const pipeline::Verb& verb : pipeline::AllVerbs()) {
    std::set<std::string> missing = FlagsOf(verb);
    EXPECT_GT(missing.size(), 0u) << verb.name;
    for (const std::string& flag : TypedFlags(verb.name)) missing.erase(flag);
    EXPECT_THAT(missing, IsEmpty()) << verb.name;
  }
}

}  // namespace
}  // namespace tessera::testing::hostile
