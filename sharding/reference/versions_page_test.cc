// docs/versions.md says what the tables say.

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/reference/behavior_table.h"
#include "tessera/sharding/reference/reference.h"

namespace tessera::sharding::reference {
namespace {

std::vector<std::string> Page() {
  std::ifstream in("docs/versions.md");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return absl::StrSplit(text, '\n');
}

std::vector<std::string> Rows() {
  std::vector<std::string> rows;
  for (const Behavior& row : BehaviorTable()) {
    rows.push_back(absl::StrCat("| `", row.name, "` | ", row.since, " | ", row.what, " |"));
  }
  return rows;
}

TEST(VersionsPageTest, HasTheTableOfBehaviours) {
  std::vector<std::string> found;
  for (const std::string& line : Page()) {
    if (line == "## Effects of an upgrade") break;
    if (absl::StartsWith(line, "| `")) found.push_back(line);
  }
  EXPECT_EQ(found, Rows()) << "the rows should be\n" << absl::StrJoin(Rows(), "\n");
}

TEST(VersionsPageTest, NamesTheKnownVersions) {
  EXPECT_THAT(Page(), ::testing::Contains(
                          absl::StrCat("Known: ", absl::StrJoin(KnownVersions(), ", "), ".")));
}

}  // namespace
}  // namespace tessera::sharding::reference
