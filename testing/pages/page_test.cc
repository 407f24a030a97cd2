#include "tessera/testing/pages/page.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::testing {
namespace {

using ::testing::ElementsAre;
using Lines = std::vector<std::string>;

TEST(CommandsOf, ReadsCommandsWithTheirOutput) {
  const auto commands = CommandsOf(
      "# A page\n"
      "\n"
      "    not a command\n"
      "    $ tessera a \\\n"
      "        --b\n"
      "    one  \n"
      "\n"
      "      two\n"
      "\n"
      "Text.\n"
      "    $ first  # exit status 1\n"
      "    $ second # exit status one\n");
  ASSERT_EQ(commands.size(), 3u);
  EXPECT_EQ(commands[0].line, 4);
  EXPECT_EQ(commands[0].text, "tessera a         --b");
  EXPECT_EQ(commands[0].status, 0);
  EXPECT_THAT(commands[0].expected, ElementsAre("one", "", "  two"));
  EXPECT_EQ(commands[1].text, "first  # exit status 1");
  EXPECT_EQ(commands[1].status, 1);
  EXPECT_THAT(commands[1].expected, ElementsAre());
  EXPECT_EQ(commands[2].line, 12);
  EXPECT_EQ(commands[2].status, -1) << "no command ends so";
}

TEST(MatchesOutput, GapsStandForAnyNumberOfLines) {
  EXPECT_TRUE(MatchesOutput({"a", "..", "d"}, {"a", "b", "c", "d"}));
  EXPECT_TRUE(MatchesOutput({"a", "...", "d"}, {"a", "d"}));
  EXPECT_TRUE(MatchesOutput({"..", "x", "y"}, {"x", "z", "x", "y"}));
  EXPECT_TRUE(MatchesOutput({"a", ".."}, {"a"}));
  EXPECT_TRUE(MatchesOutput({"a"}, {"a  "}));
}

TEST(MatchesOutput, EveryOtherLineCounts) {
  EXPECT_FALSE(MatchesOutput({"a"}, {"a", "b"}));
  EXPECT_FALSE(MatchesOutput({"a", "b"}, {"a"}));
  EXPECT_FALSE(MatchesOutput({"a", "..", "d"}, {"a", "b", "c"}));
  EXPECT_FALSE(MatchesOutput({" a"}, {"a"}));
}

}  // namespace
}  // namespace tessera::testing
