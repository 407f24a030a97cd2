// Computations that call each other a thousand deep, or twice each, through every verb that follows
// calls: an answer, or an error that says what there is too much of; never a stack that ends, nor a
// run that does not.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/command_line/verbs.h"
#include "tessera/testing/hostile/generators.h"

namespace tessera::testing::hostile {
namespace {

using pipeline::Outcome;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;
using Questions = std::vector<Words>;

// `words` are the verb and its flags.
Outcome RunVerb(Words words, const std::string& text) {
  words.insert(words.begin() + 1, pipeline::TestFile("depth.hlo", text));
  return pipeline::RunTessera(pipeline::AllVerbs(), words);
}

struct Chain {
  std::string (*make)(int n);
  const char* root;  // what is asked of `project`
};

constexpr int kDeep = 1000;  // as deep as it may be

class DepthTest : public ::testing::TestWithParam<Chain> {};

TEST_P(DepthTest, VerbsGoAThousandDeep) {
  const Chain& chain = GetParam();
  const std::string deepest = chain.make(kDeep);
  const Words project = {"project", chain.root};
  for (const Words& question : Questions{{"stats"},
                                         project,
                                         {"rules"},
                                         {"memory", "--as-is"},
                                         {"collectives", "--as-is"},
                                         {"print", "--format=pb"}}) {
    const Outcome ran = RunVerb(question, deepest);
    EXPECT_EQ(ran.exit, 0) << question[0] << ": " << ran.err;
  }
  const std::string too_deep = chain.make(8000);
  for (const Words& question : Questions{{"stats"}, project}) {
    const Outcome ran = RunVerb(question, too_deep);
    EXPECT_EQ(ran.exit, 2) << question[0];
    EXPECT_THAT(ran.err, HasSubstr("call each other more than 1000 deep")) << question[0];
  }
}

INSTANTIATE_TEST_SUITE_P(All, DepthTest,
                         ::testing::Values(Chain{ChainOfCalls, "y"}, Chain{ChainOfFusions, "y"},
                                           Chain{ChainOfMaps, "y"}, Chain{ChainOfCustomCalls, "y"},
                                           Chain{NestedLoops, "w"}));

// Chains have no bound. Review: sharding D1.
TEST(VerbsTest, IndicesAfterAsManyBroadcastsAsOneLikes) {
  const std::string text = GatherThroughBroadcasts(60000);
  for (const Words& question : Questions{{"collectives"}, {"memory"}, {"collectives", "--as-is"}}) {
    const Outcome ran = RunVerb(question, text);
    EXPECT_EQ(ran.exit, 0) << question[0] << ": " << ran.err;
  }
}

// A walk that follows each call of these anew never ends.
TEST(VerbsTest, EveryVerbEndsWhereCallsDouble) {
  const Questions questions = {{"stats"},
                               {"rules"},
                               {"project", "y", "--block=0:1,0:1"},
                               {"shard"},
                               {"shard", "--stage=pass"},
                               {"shardings"},
                               {"shardings", "--stage=pass"},
                               {"collectives"},
                               {"collectives", "--as-is"},
                               {"comm", "--as-is"},
                               {"reshards", "--as-is"},
                               {"memory"},
                               {"memory", "--as-is"},
                               {"shardings", "--format=golden"},
                               {"explain"},
                               {"explain", "--trace"}};
  for (const auto make : {DagOfCalls, DagOfBranches, DagOfFusions, DagOfMaps}) {
    for (const Words& question : questions) {
      const Outcome ran = RunVerb(question, make(40));
      EXPECT_TRUE(ran.exit == 0 || (ran.exit == 2 && !ran.err.empty())) << question[0];
    }
  }
}

}  // namespace
}  // namespace tessera::testing::hostile
