// Computations that call each other a thousand deep, or twice each, through every verb that follows
// calls: an answer, or an error that says what there is too much of; never a stack that ends, nor a
// run that does not.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
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

std::string Steps(int n, const char* line) {
  std::string text;
  for (int i = 0; i < n; ++i) absl::StrAppend(&text, absl::Substitute(line, i, i + 1), "\n");
  return text;
}

constexpr char kDevices[] = "HloModule m, num_partitions=4\n";
constexpr char kMatrices[] = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";

// A product that views lead to another one.
std::string ViewsOfAProduct(int n) {
  return absl::StrCat(
      kDevices, "ENTRY e {\nx = f32[4,6] parameter(0)\nw = f32[6,6] parameter(1)\n",
      "h0 = f32[4,6] dot(x, w)", kMatrices,
      Steps(n, "t$0 = f32[6,4] transpose(h$0), dimensions={1,0}\nh$1 = f32[4,6] reshape(t$0)"),
      "ROOT r = f32[4,6] dot(h", n, ", w)", kMatrices, "}\n");
}

// A permute of what a loop does not change.
std::string InvariantsOfALoop(int n) {
  constexpr char kState[] = "(s32[], f32[64], f32[64])";
  return absl::StrCat(
      kDevices, "cond {\nt = ", kState, " parameter(0)\ni = s32[] get-tuple-element(t), index=0\n",
      "k = s32[] constant(10)\nROOT c = pred[] compare(i, k), direction=LT\n}\nbody {\nt = ",
      kState, " parameter(0)\ni = s32[] get-tuple-element(t), index=0\none = s32[] constant(1)\n",
      "j = s32[] add(i, one)\nx = f32[64] get-tuple-element(t), index=1\n",
      "a0 = f32[64] get-tuple-element(t), index=2\n", Steps(n, "a$1 = f32[64] tanh(a$0)"),
      "p = f32[64] collective-permute(a", n,
      "), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}\ny = f32[64] add(x, p)\n",
      "ROOT r = ", kState, " tuple(j, y, a0)\n}\nENTRY e {\nz = s32[] constant(0)\n",
      "q = f32[64] parameter(0)\nw = f32[64] parameter(1)\nt = ", kState,
      " tuple(z, q, w)\nl = ", kState, " while(t), condition=cond, body=body\n",
      "ROOT o = f32[64] get-tuple-element(l), index=1\n}\n");
}

// The place at which each device slices what was gathered.
std::string Offsets(int n) {
  return absl::StrCat(
      kDevices, "ENTRY e {\nx = f32[8] parameter(0)\none = u32[] constant(1)\n",
      "a0 = u32[] partition-id()\n", Steps(n, "a$1 = u32[] multiply(a$0, one)"),
      "g = f32[32] all-gather(x), channel_id=1, replica_groups=[1,4]<=[4], dimensions={0}, ",
      "use_global_device_ids=true\nd = f32[8] dynamic-slice(g, a", n,
      "), dynamic_slice_sizes={8}\nROOT r = f32[8] negate(d)\n}\n");
}

TEST(VerbsTest, ChainsInTheModuleOfADevice) {
  for (const auto make : {ViewsOfAProduct, InvariantsOfALoop, Offsets}) {
    for (const char* target : {"--target=tpu-v5e:2x2", "--target=h100:4"}) {
      const bool is_cheap = make != ViewsOfAProduct || target[9] == 't';  // docs/hardening.md
      const Outcome ran = RunVerb({"collectives", target}, make(is_cheap ? 30000 : 1000));
      EXPECT_EQ(ran.exit, 0) << target << ": " << ran.err;
    }
  }
  EXPECT_EQ(RunVerb({"memory", "--target=tpu-v5e:2x2"}, ViewsOfAProduct(30000)).exit, 0);
}

// Arrays without elements, as `jnp.sum` of f32[4,0] makes them.
TEST(VerbsTest, EmptyArraysInTheModuleOfADevice) {
  const std::string text = absl::StrCat(
      kDevices,
      "add {\na = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT s = f32[] add(a, b)\n}\n",
      "ENTRY e {\nx = f32[4,0] parameter(0)\nz = f32[] constant(0)\ny = f32[0,64] parameter(1)\n",
      "q = f32[0,8,8] reshape(y)\nc = f32[0,8,8] slice(q), slice={[0:0], [0:8], [0:8]}\n",
      "r = f32[4] reduce(x, z), dimensions={1}, to_apply=add\n",
      "ROOT t = (f32[4], f32[0,8,8]) tuple(r, c)\n}\n");
  for (const char* verb : {"collectives", "memory", "cost"}) {
    for (const char* target : {"--target=tpu-v5e:2x2", "--target=h100:4"}) {
      const Outcome ran = RunVerb({verb, target}, text);
      EXPECT_EQ(ran.exit, 0) << verb << " " << target << ": " << ran.err;
    }
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
