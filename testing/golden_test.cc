// Every pair of testing/jax/golden, of the newest reference, and of golden_0.10.2, in both
// structures and from the module before any pass: what `conformance testing/jax/golden` says,
// without the families of case files. A case for each pair:
//
//   ./bazelw test -c opt //testing:golden_test --test_filter='*loop_in_loop*'

#include <string>

#include "gtest/gtest.h"
#include "tessera/testing/families/family.h"
#include "tessera/testing/pairs/pair_check.h"

namespace tessera::testing {
namespace {

class GoldenTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenTest, PairAgrees) {
  for (const auto& [structure, outcome] : CheckPair(GetParam())) {
    EXPECT_EQ(outcome.verdict, Verdict::kPassed) << structure << ": " << outcome.detail;
  }
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
  return info.param.substr(info.param.rfind('/') + 1);
}

INSTANTIATE_TEST_SUITE_P(NewestReference, GoldenTest,
                         ::testing::ValuesIn(FindPairs("testing/jax/golden")), NameOf);

INSTANTIATE_TEST_SUITE_P(OlderReference, GoldenTest,
                         ::testing::ValuesIn(FindPairs("testing/jax/golden_0.10.2")), NameOf);

}  // namespace
}  // namespace tessera::testing
