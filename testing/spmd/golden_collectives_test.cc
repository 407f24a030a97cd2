// The collectives of the golden modules of testing/jax, against those that the reference inserted:
// what live.py --parts collectives asks anew where there is a jaxlib.

#include <string>

#include "gtest/gtest.h"
#include "tessera/testing/families/family.h"
#include "tessera/testing/spmd/spmd_check.h"

namespace tessera::testing {
namespace {

TEST(GoldenCollectivesTest, AreThoseOfTheReference) {
  const auto names = FindTruths("testing/jax/spmd/golden");
  EXPECT_GT(names.size(), 100u);
  for (const std::string& name : names) {
    const Outcome outcome = CheckTruth(name);
    EXPECT_TRUE(outcome.verdict == Verdict::kPassed) << name << ": " << outcome.detail;
  }
}

}  // namespace
}  // namespace tessera::testing
