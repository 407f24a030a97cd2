#include "tessera/sharding/explain/golden/comparison.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/explain/golden/matching.h"
#include "tessera/sharding/explain/golden/recording_text.h"
#include "tessera/text/source.h"

namespace tessera::sharding::golden {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;

Recording Read(const std::string& body, const std::string& mesh = "[\"data\"=4, \"model\"=2]") {
  auto read = ParseRecording(*text::Source::FromString(
      "golden.txt",
      absl::StrCat("tessera golden 1\nreference 1\nmesh @mesh <", mesh, ">\n", body)));
  EXPECT_TRUE(read.ok()) << read.status();
  return *std::move(read);
}

std::vector<std::string> Texts(const std::vector<AxisChange>& changes) {
  std::vector<std::string> texts;
  for (const AxisChange& change : changes) texts.push_back(ToString(change));
  return texts;
}

std::vector<std::string> ChangesOf(const std::string& before, const std::string& after) {
  const Comparison c = Compare(Read(absl::StrCat("x: f32[8,8,8] ", before, " = iota\n")),
                               Read(absl::StrCat("x: f32[8,8,8] ", after, " = iota\n")));
  return c.changes.empty() ? std::vector<std::string>() : Texts(c.changes[0].axes);
}

TEST(AxisChangesTest, InTheUsersWords) {
  EXPECT_THAT(ChangesOf("P('data', 'model')", "P('data')"),
              ElementsAre("lost 'model' on dimension 1"));
  EXPECT_THAT(ChangesOf("P('data')", "P('data', None, 'model')"),
              ElementsAre("gained 'model' on dimension 2"));
  EXPECT_THAT(
      ChangesOf("P('data', 'model')", "P('model')"),
      ElementsAre("lost 'data' on dimension 0", "'model' moved from dimension 1 to dimension 0"));
  EXPECT_THAT(ChangesOf("P(('data', 'model'))", "P(('model', 'data'))"),
              ElementsAre("the order on dimension 0 is now 'model', 'data'"));
  EXPECT_THAT(ChangesOf("P('data')", "P(unreduced={'data'})"),
              ElementsAre("'data' moved from dimension 0 to the unreduced axes"));
  EXPECT_THAT(ChangesOf("P('data')", "<@mesh, [{\"data\":(1)2}, {}, {}]>"),
              ElementsAre("lost 'data' on dimension 0", "gained 'data':(1)2 on dimension 0"));
  EXPECT_THAT(ChangesOf("none", "P('data')"), ElementsAre("gained 'data' on dimension 0"));
}

TEST(AxisChangesTest, SaysWhichDeviceHasTheWholeArray) {
  EXPECT_THAT(ChangesOf("device 3", "device 3"), IsEmpty());
  EXPECT_THAT(ChangesOf("device 0", "device 3"), ElementsAre("moved from device 0 to device 3"));
  EXPECT_THAT(ChangesOf("device 0", "none"), ElementsAre("is no longer on device 0 alone"));
  EXPECT_THAT(ChangesOf("P('data')", "device 1"),
              ElementsAre("lost 'data' on dimension 0", "is on device 1 alone"));
}

TEST(AxisChangesTest, EqualPlacementsAreEqual) {
  EXPECT_THAT(ChangesOf("none", "P()"), IsEmpty());
  EXPECT_THAT(ChangesOf("P('data')", "<@mesh, [{\"data\"}, {}, {}]>"), IsEmpty());
}

TEST(ComparisonTest, SaysWhatItDoesToBytes) {
  const Comparison c = Compare(Read("x: f32[8] P('data') = argument\n"
                                    "y: f32[8] P('data') = negate(x)\n"
                                    "result: f32[8] P('data') = result(y)\n"),
                               Read("x: f32[8] P('data') = argument\n"
                                    "y: f32[8] P() = negate(x)\n"
                                    "result: f32[8] P('data') = result(y)\n"));
  ASSERT_EQ(c.changes.size(), 1u);
  EXPECT_EQ(c.changes[0].bytes_before, 8);
  EXPECT_EQ(c.changes[0].bytes_after, 32);
  EXPECT_EQ(c.same, 2);
  EXPECT_EQ(c.sums[0].after, 8);
  EXPECT_EQ(c.sums[1].after, 8);
  EXPECT_EQ(c.sums[2].before, 8);
  EXPECT_EQ(c.sums[2].after, 32);
  EXPECT_FALSE(c.IsEqual());
}

TEST(ComparisonTest, NewAndGone) {
  const Comparison c = Compare(Read("a: f32[8] none = iota\nb: f32[8] none = sort\n"),
                               Read("c: f32[8] none = rng\na: f32[8] none = iota\n"));
  EXPECT_THAT(c.gone, ElementsAre(1));
  EXPECT_THAT(c.added, ElementsAre(0));
}

TEST(ComparisonTest, MeshesAreComparedWithoutTheirNames) {
  const Recording a = Read("", "[\"x\"=4]"), b = Read("", "[\"x\"=2]");
  EXPECT_TRUE(HaveSameMeshes(a, a));
  EXPECT_FALSE(HaveSameMeshes(a, b));
}

std::vector<int> Matched(const std::string& before, const std::string& after) {
  return Match(Read(before).entries, Read(after).entries).of_after;
}

TEST(MatchingTest, NamesAndLinesMayChange) {
  EXPECT_THAT(Matched("a.1: f32[8] none = iota, op_name=\"i\", source=\"m.py:3\"\n"
                      "b.1: f32[8] none = negate(a.1), op_name=\"n\", source=\"m.py:4\"\n"
                      "b.2: f32[8] none = negate(b.1), op_name=\"n\", source=\"m.py:5\"\n",
                      "c.7: f32[8] none = iota, op_name=\"i\", source=\"m.py:8\"\n"
                      "c.3: f32[8] none = negate(c.7), op_name=\"n\", source=\"m.py:9\"\n"
                      "c.1: f32[8] none = negate(c.3), op_name=\"n\", source=\"m.py:10\"\n"),
              ElementsAre(0, 1, 2));
}

// A state of one element more: what is new has the type and rank of what is gone.
TEST(MatchingTest, LoopElementsOfOtherShapesAreOthersUnlessTheStateHasAsMany) {
  const std::string x = "x: f32[8] none = argument\n";
  const std::string two = "w.1{0}: s32[] none = while\nw.1{1}: f32[4,8] none = while\n";
  EXPECT_THAT(Matched(x + two, x + "w.2{0}: s32[] none = while\nw.2{1}: f32[2,9] none = while\n"
                                   "w.2{2}: f32[7] none = while\n"),
              ElementsAre(0, 1, -1, -1));
  EXPECT_THAT(Matched(x + two, x + "w.2{0}: s32[] none = while\nw.2{1}: f32[4,16] none = while\n"),
              ElementsAre(0, 1, 2));
}

// Three equal layers, each known by its weights; in the new one there are four.
TEST(MatchingTest, ALayerIsFoundByItsWeights) {
  std::string three = "h0: f32[8] none = argument, op_name=\"x\"\n";
  std::string four = three;
  const auto add = [](int at, int layer, std::string* to) {
    absl::StrAppend(to, "w", at, ": f32[8] none = argument, op_name=\"p[", layer, "]\"\n");
    absl::StrAppend(to, "h", at + 1, ": f32[8] none = multiply(h", at, ", w", at,
                    "), op_name=\"mul\"\n");
  };
  for (int layer : {0, 1, 2}) add(layer, layer, &three);
  int at = 0;
  for (int layer : {0, 7, 1, 2}) add(at++, layer, &four);  // one in the middle
  EXPECT_THAT(Matched(three, four), ElementsAre(0, 1, 2, -1, -1, 3, 4, 5, 6));
}

// One entry more, which matches nothing, has the rest matched step by step.
TEST(MatchingTest, EqualSidesAreMatchedAsStepByStep) {
  std::string text = "w: f32[8] none = argument, op_name=\"w\"\nh0: f32[8] none = iota\n";
  for (int k = 0; k < 6; ++k) {  // layers that nothing tells apart but their place
    absl::StrAppend(&text, "h", k + 1, ": f32[8] none = multiply(h", k, ", w), op_name=\"mul\"\n");
    absl::StrAppend(&text, "t", k, ": f32[8] none = tanh(h", k, ")\n");
  }
  const std::vector<int> same = Matched(text, text);
  std::vector<int> with_more = Matched(text, absl::StrCat(text, "r: f32[8] none = rng\n"));
  EXPECT_EQ(with_more.back(), -1);
  with_more.pop_back();
  EXPECT_EQ(same, with_more);
  EXPECT_THAT(same, Each(Ge(0)));
}

// Arrays of one loop that nothing tells apart but their place.
TEST(MatchingTest, ArraysOfATupleKeepTheirPlaces) {
  EXPECT_THAT(Matched("s.1{0}: f32[8] none = parameter\ns.1{1}: f32[8] none = parameter\n"
                      "s.1{2}: f32[8] none = parameter\n",
                      "s.4{2}: f32[8] none = parameter\ns.4{0}: f32[8] none = parameter\n"
                      "s.4{1}: f32[8] none = parameter\n"),
              ElementsAre(2, 0, 1));
}

TEST(MatchingTest, AShapeMayChange) {
  EXPECT_THAT(Matched("a: f32[8,4] none = argument, op_name=\"x\"\n",
                      "a: f32[16,4] none = argument, op_name=\"x\"\n"),
              ElementsAre(0));
  EXPECT_THAT(Matched("a: f32[8,4] none = argument, op_name=\"x\"\n",
                      "a: bf16[8,4] none = argument, op_name=\"x\"\n"),
              ElementsAre(-1));
}

TEST(MatchingTest, WhatCannotBeToldApartStaysAlone) {
  EXPECT_THAT(Matched("iota.1: f32[8] none = iota\n",
                      "iota.1: f32[8] none = iota\niota.2: f32[8] none = iota\n"),
              ElementsAre(-1, -1));
}

}  // namespace
}  // namespace tessera::sharding::golden
