// Every verb that reads a module takes four times the work, and not much more, for one four times
// as large (growth_check.h says what work is).

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/verbs.h"
#include "tessera/testing/hostile/generators.h"
#include "tessera/testing/hostile/growth_check.h"
#include "tessera/testing/hostile/work_counter.h"

namespace tessera::testing::hostile {
namespace {

using Words = std::vector<std::string>;

std::vector<Words> QuestionsOf(const Generator& generator) {
  return {{"stats"},
          {"rules"},
          {"shardings"},
          {"print", "--format=xla"},
          {"record"},
          {"collectives"},
          {"memory"},
          {"explain"},
          {"levels"},
          {"project", generator.projected},
          {"project", generator.projected, "--to-inputs"},
          {"print", "--format=canonical"}};
}

// Canonical text has the shape of each operand, so the whole tuple for each of its elements, and
// bodies in their places, each line of them further to the right.
bool IsLongByForm(const std::string& generator, const Words& question) {
  return (absl::StartsWith(generator, "elements of") || generator == "nested loops") &&
         question.back() == "--format=canonical";
}

Work WorkOf(const Words& question, const std::string& text) {
  const std::string file = absl::StrCat(::testing::TempDir(), "/growth.hlo");
  std::ofstream(file) << text;
  Words words = question;
  words.insert(words.begin() + 1, file);
  std::ostringstream out, err;
  const WorkCounter counter;
  EXPECT_EQ(pipeline::RunCommandLine(pipeline::AllVerbs(), words, out, err), 0) << err.str();
  return counter.SoFar();
}

// For `large`, which is four times as large as `small`.
void ExpectGrowth(double most, const Words& question, const std::string& small,
                  const std::string& large) {
  EXPECT_TRUE(GrowsAtMost(
      most, [&] { return WorkOf(question, small); }, [&] { return WorkOf(question, large); }))
      << absl::StrJoin(question, " ");
}

class VerbsGrowthTest : public ::testing::TestWithParam<Generator> {};

TEST_P(VerbsGrowthTest, WorkIsLinear) {
  const Generator& generator = GetParam();
  for (const Words& question : QuestionsOf(generator)) {
    if (IsLongByForm(generator.name, question)) continue;
    ExpectGrowth(generator.most, question, generator.make(generator.n),
                 generator.make(4 * generator.n));
  }
}

std::string WithCommas(const std::string& digits) {
  return absl::StrJoin(digits, ",", [](std::string* out, char digit) { out->push_back(digit); });
}

// Elements of a tuple, each with a list of devices that no other one has.
std::string OwnDevices(int n) {
  std::vector<std::string> shapes, shardings;
  std::string devices = "01234567", elements;
  for (int i = 0; i < n; ++i, std::next_permutation(devices.begin(), devices.end())) {
    shapes.push_back("f32[8]");
    shardings.push_back(absl::StrCat("{devices=[8]", WithCommas(devices), "}"));
    absl::StrAppend(&elements, "g", i, " = f32[8] get-tuple-element(p), index=", i, "\n");
  }
  return absl::StrCat("HloModule m, num_partitions=8\nENTRY e {\np = (",
                      absl::StrJoin(shapes, ", "), ") parameter(0), sharding={",
                      absl::StrJoin(shardings, ", "), "}\n", elements,
                      "ROOT r = f32[8] negate(g0)\n}\n");
}

TEST(VerbsGrowthOfShardingsTest, ManyListsOfDevices) {
  ExpectGrowth(kLinear, {"collectives", "--as-is"}, OwnDevices(2000), OwnDevices(8000));
}

// `shard` of 4000 parameters, the first `n` of which have an annotation each.
Work WorkOfAnnotations(int n) {
  std::string text = "ENTRY e {\n";
  for (int i = 0; i < 4000; ++i) {
    absl::StrAppend(&text, "p", i, " = f32[8] parameter(", i, ")\n");
  }
  Words words = {"shard", "--mesh=a=2"};
  for (int i = 0; i < n; ++i) words.push_back(absl::StrCat("--annotate=^p", i, "$=P('a')"));
  return WorkOf(words, absl::StrCat(text, "ROOT r = f32[8] negate(p0)\n}\n"));
}

// Each pattern is looked for in the whole module.
TEST(VerbsGrowthOfShardingsTest, ManyAnnotations) {
  EXPECT_TRUE(GrowsAtMost(
      kLinear, [] { return WorkOfAnnotations(250); }, [] { return WorkOfAnnotations(1000); }));
}

std::vector<Generator> AsUsersSendThem() {
  std::vector<Generator> generators;
  for (const Generator& generator : Generators()) {
    if (!generator.as_passed) generators.push_back(generator);
  }
  return generators;
}

INSTANTIATE_TEST_SUITE_P(All, VerbsGrowthTest, ::testing::ValuesIn(AsUsersSendThem()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           for (char& c : name) c = c == ' ' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace tessera::testing::hostile
