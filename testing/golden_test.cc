// Every pair of testing/jax/golden, in both structures and from the module before any pass: what
// `conformance testing/jax/golden` says, without the families of case files.

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/testing/families/family.h"
#include "tessera/testing/pairs/pair_check.h"

namespace tessera::testing {
namespace {

constexpr char kFolder[] = "testing/jax/golden";

TEST(GoldenTest, EveryPairAgrees) {
  const auto pairs = FindPairs(kFolder);
  ASSERT_THAT(pairs, ::testing::Not(::testing::IsEmpty()));
  for (const std::string& pair : pairs) {
    for (const auto& [structure, outcome] : CheckPair(pair)) {
      EXPECT_EQ(outcome.verdict, Verdict::kPassed)
          << pair << " (" << structure << "): " << outcome.detail;
    }
  }
}

}  // namespace
}  // namespace tessera::testing
