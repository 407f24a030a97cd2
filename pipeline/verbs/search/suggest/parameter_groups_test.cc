#include "tessera/pipeline/verbs/search/suggest/parameter_groups.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::pipeline {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> PatternsOf(const std::vector<std::string>& arguments) {
  std::string text = "HloModule m\nENTRY e {\n";
  for (size_t k = 0; k < arguments.size(); ++k) {
    const size_t split = arguments[k].find(' ');
    absl::StrAppend(&text, "  p.", k, " = ", arguments[k].substr(0, split), " parameter(", k,
                    "), metadata={op_name=\"", arguments[k].substr(split + 1), "\"}\n");
  }
  absl::StrAppend(&text, "  ROOT r = f32[] constant(0)\n}\n");
  auto module = hlo::ParseModule(text, "test");
  EXPECT_TRUE(module.ok()) << module.status();
  std::vector<std::string> patterns;
  for (const SearchGroup& group : ParameterGroups(*module)) {
    patterns.push_back(absl::StrCat(group.count, " ", group.pattern));
  }
  return patterns;
}

TEST(ParameterGroupsTest, LayersAndMomentsGoTogether) {
  EXPECT_THAT(PatternsOf({"f32[8,4] params['params']['layers_0']['w']",
                          "f32[8,4] params['params']['layers_11']['w']",
                          "f32[8,4] opt.mu['layers_0']['w']", "f32[8,4] opt.mu['layers_11']['w']",
                          "f32[4] params['params']['layers_0']['b']", "f32[] opt.count"}),
              ElementsAre("4 \\['layers_\\d+'\\]\\['w'\\]$",
                          "1 \\['params'\\]\\['layers_\\d+'\\]\\['b'\\]$"));
}

TEST(ParameterGroupsTest, RelativesDifferInOneKey) {
  const auto module = hlo::ParseModule(
      "HloModule m\nENTRY e {\n"
      "  k = f32[8,4] parameter(0), metadata={op_name=\"cache.layers[0]['a.k']['x']\"}\n"
      "  ROOT w = f32[8] parameter(1)\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<SearchGroup> groups = ParameterGroups(*module);
  EXPECT_THAT(
      groups[0].relatives,
      ElementsAre("*\\.layers\\[\\d+\\]\\['a\\.k'\\]\\['x'\\]",
                  "cache*\\[\\d+\\]\\['a\\.k'\\]\\['x'\\]", "cache\\.layers*\\['a\\.k'\\]\\['x'\\]",
                  "cache\\.layers\\[\\d+\\]*\\['x'\\]", "cache\\.layers\\[\\d+\\]\\['a\\.k'\\]*"));
  EXPECT_THAT(groups[1].relatives, ElementsAre("*"));
}

TEST(ParameterGroupsTest, TokensAreABatch) {
  EXPECT_THAT(PatternsOf({"f32[64,4] w", "s32[8,4] data['inputs']", "s32[8,4] data['targets']"}),
              ElementsAre("2 ^data\\b", "1 ^w$"));
}

TEST(ParameterGroupsTest, OtherShapesAreOtherGroups) {
  EXPECT_THAT(PatternsOf({"f32[8,4] net[0].w", "f32[4,2] net[1].w", "f32[8,4] net[2].w"}),
              ElementsAre("2 ^(net\\[0\\]\\.w|net\\[2\\]\\.w)$", "1 ^(net\\[1\\]\\.w)$"));
}

// w1 and w2 of other shapes, in a state of three equal trees.
TEST(ParameterGroupsTest, TreesOfTheSameShapesGoTogether) {
  EXPECT_THAT(
      PatternsOf({"f32[8,4] state['params']['l0']['w1']", "f32[4,8] state['params']['l0']['w2']",
                  "f32[8,4] state['m']['l0']['w1']", "f32[4,8] state['m']['l0']['w2']",
                  "f32[8,4] state['v']['l0']['w1']", "f32[4,8] state['v']['l0']['w2']"}),
      ElementsAre("3 \\['l\\d+'\\]\\['w1'\\]$", "3 \\['l\\d+'\\]\\['w2'\\]$"));
}

}  // namespace
}  // namespace tessera::pipeline
