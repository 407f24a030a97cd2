// The events of a run give its state, every axis has a chain back to an annotation, and recording
// changes nothing: on every golden module, and on the corpora beside the project (TESSERA_SHARED)
// where these are.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/testing/corpora/corpora.h"
#include "tessera/testing/explain/checks.h"
#include "tessera/testing/explain/observed_module.h"

namespace tessera::sharding::explain {
namespace {

// Modules as the pass gets them and as JAX lowers them.
std::vector<std::string> ModulesUnder(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path();
    if (absl::EndsWith(path, ".before.hlo") || absl::EndsWith(path, ".lowered.hlo")) {
      paths.push_back(path);
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// False for a module that is refused: then it must be refused without a recorder too.
bool CheckModule(const std::string& path) {
  const auto observed = ObserveFile(path);
  const auto module = ReadModuleFile(path);
  if (!module.ok()) return false;
  const auto alone = pipeline::Propagate(*module, *OptionsForFile(path));
  EXPECT_EQ(observed.ok(), alone.ok()) << path << ": " << observed.status();
  if (!observed.ok() || !alone.ok()) return false;
  const absl::Status replayed = CheckReplay(*observed->log);
  EXPECT_TRUE(replayed.ok()) << path << ": " << replayed;
  const absl::Status chained = CheckChains(*observed->log);
  EXPECT_TRUE(chained.ok()) << path << ": " << chained;
  EXPECT_EQ((*alone)->run->result().shardings, observed->sharded->run->result().shardings) << path;
  EXPECT_EQ((*alone)->run->result().outputs, observed->sharded->run->result().outputs) << path;
  return true;
}

TEST(GoldenModulesTest, OurOwn) {
  for (const char* folder : {"testing/jax/golden", "testing/jax/golden_0.10.2"}) {
    const std::vector<std::string> paths = ModulesUnder(folder);
    ASSERT_THAT(paths, ::testing::Not(::testing::IsEmpty()));
    for (const std::string& path : paths) EXPECT_TRUE(CheckModule(path)) << path;
  }
}

TEST(GoldenModulesTest, BesideTheProject) {
  const std::optional<std::string> folder = testing::CorpusFolder("conformance");
  if (!folder) GTEST_SKIP() << testing::kNoCorpora;
  int checked = 0;
  for (const std::string& path : ModulesUnder(*folder)) checked += CheckModule(path);
  EXPECT_GT(checked, 400);
}

}  // namespace
}  // namespace tessera::sharding::explain
