// Every pair of testing/jax/golden, of the newest reference, and of golden_0.10.2, in both
// structures and from the module before any pass: what `conformance testing/jax/golden` says,
// without the families of case files.

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/testing/families/family.h"
#include "tessera/testing/pairs/pair_check.h"

namespace tessera::testing {
namespace {

void CheckPairs(const std::string& folder) {
  const auto pairs = FindPairs(folder);
  ASSERT_THAT(pairs, ::testing::Not(::testing::IsEmpty()));
  for (const std::string& pair : pairs) {
    for (const auto& [structure, outcome] : CheckPair(pair)) {
      EXPECT_EQ(outcome.verdict, Verdict::kPassed)
          << pair << " (" << structure << "): " << outcome.detail;
    }
  }
}

TEST(GoldenTest, EveryPairOfTheNewestReferenceAgrees) { CheckPairs("testing/jax/golden"); }

TEST(GoldenTest, EveryPairOfAnOlderReferenceAgrees) { CheckPairs("testing/jax/golden_0.10.2"); }

}  // namespace
}  // namespace tessera::testing
