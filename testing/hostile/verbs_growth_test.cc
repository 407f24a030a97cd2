// Every verb that reads a module takes four times the work, and not much more, for one four times
// as large (growth_test.cc says what work is).

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/verbs.h"
#include "tessera/testing/hostile/generators.h"
#include "tessera/testing/hostile/work_counter.h"

namespace tessera::testing::hostile {
namespace {

using Words = std::vector<std::string>;

const std::vector<Words>& Questions() {
  static const auto& questions = *new std::vector<Words>{{"stats"},
                                                         {"rules"},
                                                         {"shardings"},
                                                         {"print", "--format=xla"},
                                                         {"record"},
                                                         {"collectives"},
                                                         {"memory"},
                                                         {"explain"},
                                                         {"levels"},
                                                         {"project", "r"},
                                                         {"print", "--format=canonical"}};
  return questions;
}

// Canonical text has the shape of each operand, so the whole tuple for each of its elements.
bool IsLongByForm(const std::string& generator, const Words& question) {
  return absl::StartsWith(generator, "elements of") && question.back() == "--format=canonical";
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

class VerbsGrowthTest : public ::testing::TestWithParam<Generator> {};

TEST_P(VerbsGrowthTest, WorkIsLinear) {
  const Generator& generator = GetParam();
  for (const Words& question : Questions()) {
    if (IsLongByForm(generator.name, question)) continue;
    const Work small = WorkOf(question, generator.make(generator.n));
    const Work large = WorkOf(question, generator.make(4 * generator.n));
    EXPECT_LE(Growth(small.bytes, large.bytes), kMaxGrowth)
        << question[0] << " " << question.back() << ", bytes";
    EXPECT_LE(Growth(small.instructions, large.instructions), kMaxGrowth)
        << question[0] << " " << question.back() << ", instructions";
  }
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
