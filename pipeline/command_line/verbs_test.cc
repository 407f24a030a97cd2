#include "tessera/pipeline/command_line/verbs.h"

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/help_text.h"

namespace tessera::pipeline {
namespace {

TEST(Verbs, HelpFitsAScreenOf30By80) {
  const std::vector<std::string> lines = absl::StrSplit(HelpText(AllVerbs()), '\n');
  EXPECT_LE(lines.size(), 31u);  // the last one is empty
  for (const std::string& line : lines) EXPECT_LE(line.size(), 80u) << line;
}

TEST(Verbs, EachHasAnExampleAndEachFlagIsThereOnce) {
  for (const Verb& verb : AllVerbs()) {
    EXPECT_FALSE(verb.examples.empty()) << verb.name;
    std::set<std::string> flags;
    for (const Flag& flag : verb.flags) {
      EXPECT_TRUE(flags.insert(flag.name).second) << verb.name << " --" << flag.name;
    }
  }
}

TEST(Verbs, FlagsOfTheEnvironmentThatDecideNothingAreNamed) {
  setenv("XLA_FLAGS", "--xla_dump_to=d --xla_gpu_enable_all_gather_combine_by_dim=1", 1);
  const VerbResult env =
      RunVerb(AllVerbs(), {"passes", "--target=h100:8", "--xla-flags=env", "--config=none"});
  unsetenv("XLA_FLAGS");
  EXPECT_EQ(env.exit, Exit::kDone) << env.notes;
  EXPECT_EQ(env.notes, "note: XLA_FLAGS: --xla_dump_to=d decides nothing of the program\n");
}

}  // namespace
}  // namespace tessera::pipeline
