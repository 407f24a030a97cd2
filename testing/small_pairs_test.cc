// Every pair of testing/jax/small_pairs.txt: random programs, and mutated annotations on the golden
// ones, small enough that a stranger can read them and check exactness without jaxlib.

#include <filesystem>
#include <string>

#include "gtest/gtest.h"
#include "tessera/testing/families/family.h"
#include "tessera/testing/pairs/pair_check.h"
#include "tessera/testing/pairs/pair_file.h"

namespace tessera::testing {
namespace {

TEST(SmallPairsTest, EveryPairAgrees) {
  const std::string folder = ::testing::TempDir() + "/small_pairs";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const absl::Status status = UnpackPairs("testing/jax/small_pairs.txt", folder);
  ASSERT_TRUE(status.ok()) << status;
  const auto pairs = FindPairs(folder);
  EXPECT_GE(pairs.size(), 300u);
  for (const std::string& pair : pairs) {
    for (const auto& [structure, outcome] : CheckPair(pair)) {
      EXPECT_EQ(outcome.verdict, Verdict::kPassed)
          << pair << " (" << structure << "): " << outcome.detail;
    }
  }
}

TEST(SmallPairsTest, AFileOfSomethingElseIsRefused) {
  EXPECT_FALSE(UnpackPairs("testing/jax/no_such_file.txt", ::testing::TempDir()).ok());
  EXPECT_FALSE(UnpackPairs("testing/jax/small_pairs.py", ::testing::TempDir()).ok());
}

}  // namespace
}  // namespace tessera::testing
