// The modules of testing/jax/golden, and listed ones of $TESSERA_SHARED/hlo where that folder
// exists: dense, by halves and by devices. What is too large, or has no meaning on one device, is
// counted and named, not failed.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/testing/corpora/corpora.h"
#include "tessera/testing/evaluator/sharded/agreement.h"

namespace tessera::testing::evaluator {
namespace {

std::vector<std::string> FilesOf(const std::string& folder, const std::string& suffix) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    if (path.size() >= suffix.size() &&
        path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0)
      files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

Agreement CheckFile(const std::string& path) {
  const auto source = text::Source::FromFile(path);
  if (!source.ok()) return {Agreement::Outcome::kSkipped, "not readable", 0};
  const hlo::ParsedText parsed = hlo::ParseModules(*source);
  if (!parsed.diagnostics.ok() || parsed.modules.empty())
    return {Agreement::Outcome::kSkipped, "no module", 0};
  Agreement all;
  for (const hlo::Module& module : parsed.modules) {
    const Agreement one = CheckAgreement(module);
    if (static_cast<int>(one.outcome) > static_cast<int>(all.outcome)) all = one;
  }
  return all;
}

// At least `least` modules agree, and none differs.
void CheckAll(const std::vector<std::string>& files, int least) {
  int agree = 0;
  std::map<std::string, int> skipped;
  for (const std::string& path : files) {
    const Agreement a = CheckFile(path);
    EXPECT_NE(a.outcome, Agreement::Outcome::kDiffers) << path << ": " << a.why;
    agree += a.outcome == Agreement::Outcome::kAgrees;
    if (a.outcome == Agreement::Outcome::kSkipped) ++skipped[a.why];
  }
  std::cout << agree << " of " << files.size() << " agree\n";
  for (const auto& [why, count] : skipped) std::cout << "skipped " << count << ": " << why << "\n";
  EXPECT_GE(agree, least);
}

TEST(Golden, BeforeThePass) { CheckAll(FilesOf("testing/jax/golden", ".before.hlo"), 101); }

TEST(Golden, AfterThePass) { CheckAll(FilesOf("testing/jax/golden", ".after.hlo"), 101); }

// The list says which of the folder's files are small enough.
TEST(Shared, ListedModules) {
  const std::optional<std::string> folder = CorpusFolder("hlo");
  if (!folder) GTEST_SKIP() << kNoCorpora;
  std::ifstream list("testing/evaluator/shared_modules.txt");
  std::vector<std::string> files;
  for (std::string name; std::getline(list, name);)
    files.push_back(absl::StrCat(*folder, "/", name));
  ASSERT_FALSE(files.empty());
  CheckAll(files, static_cast<int>(files.size()));
}

}  // namespace
}  // namespace tessera::testing::evaluator
