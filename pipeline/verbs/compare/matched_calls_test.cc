#include "tessera/pipeline/verbs/compare/matched_calls.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Calls = std::vector<ComparedCall>;

// "differs 0 2: op bytes": verdict, numbers of both sides, differences.
std::vector<std::string> Matched(const Calls& predicted, const Calls& compiled) {
  std::vector<std::string> out;
  for (const CallMatch& match : MatchCalls(predicted, compiled)) {
    const std::string differs =
        match.differs.empty() ? "" : absl::StrCat(": ", absl::StrJoin(match.differs, " "));
    out.push_back(absl::StrCat(VerdictName(match.verdict), " ", absl::StrJoin(match.predicted, ","),
                               "|", absl::StrJoin(match.compiled, ","), differs));
  }
  return out;
}

constexpr char kGather[] = "all-gather", kSum[] = "all-reduce";

TEST(MatchedCallsTest, AgreesByPlaceThenWithout) {
  const Calls predicted = {{kGather, "a", 8, 1, {"q"}}, {kGather, "a", 8, 1, {"p", "m.py:1"}}};
  const Calls compiled = {{kGather, "a", 8, 1, {"m.py:1"}}, {kGather, "a", 8, 1, {"other"}}};
  EXPECT_THAT(Matched(predicted, compiled), ElementsAre("agrees 0|1", "agrees 1|0"));
  EXPECT_THAT(Matched({}, {}), IsEmpty());
}

TEST(MatchedCallsTest, AFlatCallInPlaceOfThree) {
  const Calls predicted = {{kSum, "a", 8, 2, {}}, {kSum, "a", 16, 2, {}}, {kSum, "a", 4, 2, {}}};
  EXPECT_THAT(Matched(predicted, {{kSum, "a", 28, 2, {}}}),
              ElementsAre("other_calls 0,1,2|0: calls"));
  EXPECT_THAT(Matched(predicted, {{kSum, "b", 28, 2, {}}}),
              ElementsAre("only_predicted 0|", "only_predicted 1|", "only_predicted 2|",
                          "only_compiled |0"));
}

TEST(MatchedCallsTest, OutOfALoop) {
  EXPECT_THAT(Matched({{kGather, "a", 8, 4, {}}}, {{kGather, "a", 32, 1, {}}}),
              ElementsAre("other_calls 0|0: runs"));
}

// The one that has more in common comes first.
TEST(MatchedCallsTest, DiffersFromOnePlace) {
  const Calls predicted = {{kSum, "a", 8, 1, {"p"}}};
  const Calls compiled = {{"reduce-scatter", "a", 4, 1, {"p"}}, {kSum, "a", 4, 3, {"p"}}};
  EXPECT_THAT(Matched(predicted, compiled), ElementsAre("differs 0|1,0: bytes runs calls"));
  EXPECT_THAT(Matched(predicted, {{"reduce-scatter", "b", 8, 1, {"p"}}}),
              ElementsAre("differs 0|0: op devices"));
  EXPECT_THAT(Matched(predicted, {{kGather, "a", 4, 1, {"q"}}}),
              ElementsAre("only_predicted 0|", "only_compiled |0"));
}

// A compiler dropped the op_name of a call and changed its bytes.
TEST(MatchedCallsTest, TheOnlyOneLeft) {
  const Calls predicted = {{"ragged-all-to-all", "a", 100, 1, {"p"}}};
  EXPECT_THAT(Matched(predicted, {{"ragged-all-to-all", "a", 104, 1, {}}}),
              ElementsAre("differs 0|0: bytes"));
  EXPECT_TRUE(MatchCalls(predicted, {{"ragged-all-to-all", "a", 104, 1, {}}})[0].is_sole);
  EXPECT_FALSE(MatchCalls(predicted, {{"ragged-all-to-all", "a", 104, 1, {"p"}}})[0].is_sole);
  EXPECT_THAT(Matched(predicted, {{"ragged-all-to-all", "b", 104, 1, {}}}),
              ElementsAre("only_predicted 0|", "only_compiled |0"));
  EXPECT_THAT(Matched(predicted, {{"ragged-all-to-all", "a", 104, 1, {}},
                                  {"ragged-all-to-all", "a", 108, 1, {}}}),
              ElementsAre("only_predicted 0|", "only_compiled |0", "only_compiled |1"));
}

// A gather that the compiler makes a loop of permutes.
TEST(MatchedCallsTest, SeveralFromOnePlace) {
  const Calls permutes(3, {"collective-permute", "b", 2, 4, {"p"}});
  EXPECT_THAT(Matched({{kGather, "a", 8, 1, {"p"}}}, permutes),
              ElementsAre("differs 0|0,1,2: op devices bytes runs calls"));
  const Calls sums = {{kSum, "a", 8, 1, {"p"}}, {kSum, "a", 9, 1, {"q"}}, {kSum, "a", 9, 1, {"r"}}};
  EXPECT_THAT(Matched(sums, {{kSum, "a", 4, 1, {"p", "q"}}}),
              ElementsAre("differs 0,1|0: bytes calls", "only_predicted 2|"));
}

}  // namespace
}  // namespace tessera::pipeline
