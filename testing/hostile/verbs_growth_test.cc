// Every verb that reads a module takes four times the work, and not much more, for one four times
// as large (growth_check.h says what work is).

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/verbs.h"
#include "tessera/testing/hostile/generators.h"
#include "tessera/testing/hostile/growth_check.h"
#include "tessera/testing/hostile/work_counter.h"

namespace tessera::testing::hostile {
namespace {

using Words = std::vector<std::string>;

constexpr char kTopology[] = "--target=tpu-v5e:2x4";
constexpr char kGpu[] = "--target=h100:8";
// The module with all its parameters on every device: their shardings are lost or gained.
constexpr char kWhole[] = "--annotate=.*=P()";

// The flags with which a question is asked first, for the golden file; none without one.
struct Question {
  Words words;
  std::optional<Words> recorded = std::nullopt;
  int part = 1;     // of the size: for what takes long in each
  double more = 1;  // how often it may take what others take
};

// The chain of each tensor of a chain is as long as there are tensors before it. A report follows at
// most 30 million links (docs/hardening.md).
constexpr double kChains = 3;
// A compiler weighs a kernel anew for each instruction that joins it, up to 10,000 instructions
// (docs/hardening.md).
constexpr double kCompilers = 3;

std::vector<Question> QuestionsOf(const Generator& generator) {
  return {{{"stats"}},
          {{"rules"}},
          {{"shard"}},
          {{"shardings"}},
          {{"print", "--format=xla"}},
          {{"passes"}},
          {{"shardings", "--format=golden"}},
          {{"collectives"}},
          {{"collectives", "--formulas"}},
          {{"collectives", kTopology}, std::nullopt, 1, kCompilers},
          {{"collectives", kGpu}, std::nullopt, 1, kCompilers},
          {{"cost", kTopology}},
          {{"lint"}},
          {{"partition"}},
          {{"reshards", "--top=0", "--no-fixes"}},
          {{"memory"}},
          {{"memory", kGpu, "--no-fixes"}, std::nullopt, 1, kCompilers},
          {{"memory", kTopology}},
          {{"report", "--format=text"}},
          {{"explain"}},
          {{"explain", "result{0}"}},
          {{"explain", "--trace"}},
          {{"project", generator.projected}},
          {{"project", generator.projected, "--to-inputs"}},
          {{"print", "--format=canonical"}},
          {{"diff", "--b-annotate=.*=P()"}, std::nullopt, 2},
          {{"check"}, Words{kWhole}, 2},
          {{"check", kWhole}, Words{}, 2},
          {{"report", "--json"}, std::nullopt, 4, kChains},
          {{"sweep", kTopology, "--mesh=a=4,b=2"}, std::nullopt, 4},
          {{"suggest", kTopology, "--tries=4", "--groups=4"}, std::nullopt, 4}};
}

// Canonical text has the shape of each operand, so the whole tuple for each of its elements. It has
// bodies in their places, with each line further to the right.
bool IsLongByForm(const std::string& generator, const Words& question) {
  return (absl::StartsWith(generator, "elements of") || generator == "nested loops") &&
         question.back() == "--format=canonical";
}

// Modules that take minutes in verbs that search or draw, and these verbs.
constexpr const char* kLong[] = {
    "branches of one conditional",
    "readers after constraints",
    "constraints beside readers",
    "gathers of one constant",
    "operands",
    "elements of a call",
};
constexpr const char* kSearching[] = {"shard", "passes", "cost",  "reshards", "diff",
                                      "check", "report", "sweep", "suggest",  "explain"};

bool TakesMinutes(const std::string& generator, const Words& question) {
  const auto is_in = [](const auto& list, const std::string& name) {
    return std::find(std::begin(list), std::end(list), name) != std::end(list);
  };
  const bool is_short = question == Words{"explain"} || question == Words{"explain", "--trace"};
  return !is_short && is_in(kLong, generator) && is_in(kSearching, question[0]);
}

std::string FileWith(const char* name, const std::string& text) {
  const std::string file = absl::StrCat(::testing::TempDir(), "/", name);
  std::ofstream(file) << text;
  return file;
}

Work WorkOf(Words words, const std::string& text) {
  words.insert(words.begin() + 1, FileWith("growth.hlo", text));
  std::ostringstream out, err;
  const WorkCounter counter;
  const int status = pipeline::RunCommandLine(pipeline::AllVerbs(), words, out, err);
  const Work work = counter.SoFar();
  const bool compares = words[0] == "check" || words[0] == "diff";
  EXPECT_TRUE(status == 0 || (status == 1 && compares)) << absl::StrJoin(words, " ") << err.str();
  return work;
}

Work WorkOf(const Question& question, const std::string& text) {
  if (!question.recorded.has_value()) return WorkOf(question.words, text);
  const std::string golden = absl::StrCat(::testing::TempDir(), "/growth.golden");
  Words record = *question.recorded, words = question.words;
  record.insert(record.begin(), {"shardings", "--format=golden"});
  record.push_back(absl::StrCat("-o", golden));
  WorkOf(record, text);
  words.push_back(golden);
  return WorkOf(words, text);
}

// For `large`, which is four times as large as `small`.
void ExpectGrowth(double most, const Question& question, const std::string& small,
                  const std::string& large) {
  EXPECT_TRUE(GrowsAtMost(
      most, [&] { return WorkOf(question, small); }, [&] { return WorkOf(question, large); }))
      << absl::StrJoin(question.words, " ");
}

TEST(VerbsGrowthOfAllVerbsTest, EveryVerbIsAsked) {
  // The first two read no module; `confirm` starts the real compiler; `calibrate` needs a profile.
  std::set<std::string> asked = {"convert", "layout", "confirm", "calibrate"};
  for (const Question& question : QuestionsOf({})) asked.insert(question.words[0]);
  for (const pipeline::Verb& verb : pipeline::AllVerbs()) {
    if (!verb.instead.empty()) continue;  // others have taken it in
    EXPECT_EQ(asked.count(verb.name), 1u) << verb.name;
  }
}

class VerbsGrowthTest : public ::testing::TestWithParam<Generator> {};

TEST_P(VerbsGrowthTest, WorkIsLinear) {
  const Generator& generator = GetParam();
  for (const Question& question : QuestionsOf(generator)) {
    if (IsLongByForm(generator.name, question.words)) continue;
    if (TakesMinutes(generator.name, question.words)) continue;
    const int n = generator.n / question.part;
    ExpectGrowth(question.more * generator.most, question, generator.make(n),
                 generator.make(4 * n));
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
  ExpectGrowth(kLinear, {{"collectives", "--as-is"}}, OwnDevices(2000), OwnDevices(8000));
}

// Two tilings that each cut `n` dimensions that the other does not, on 4^n devices. XLA tries
// (n!)^2 ways to merge them. Review: sharding G6.
std::string MergedCuts(int n) {
  const std::string ones = WithCommas(std::string(n, '1')), twos = WithCommas(std::string(n, '2'));
  const std::string fours = WithCommas(std::string(2 * n, '4'));
  const int half = 1 << n;
  const int devices = half * half;
  return absl::StrCat(
      "HloModule m, num_partitions=", devices, "\nENTRY e {\np = f32[8,4] parameter(0)\ni = s32[",
      fours, ",1] parameter(1), sharding={devices=[", twos, ",", ones, ",1,", half, "]<=[", devices,
      "] last_tile_dim_replicate}\nROOT g = f32[", fours, ",4] gather(p, i), offset_dims={", 2 * n,
      "}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=", 2 * n,
      ", slice_sizes={1,4}, sharding={devices=[", ones, ",", twos, ",1,", half, "]<=[", half, ",",
      half, "]T(1,0) last_tile_dim_replicate}\n}\n");
}

TEST(VerbsGrowthOfShardingsTest, MergedCuts) {
  const double devices = 16;
  ExpectGrowth(2 * devices, {{"collectives", "--as-is"}}, MergedCuts(6), MergedCuts(8));
}

// Lines of f32[16] or c64[16], cut in two, each made of the one before it.
std::string CutChain(int n, const std::string& type, const std::string& rest) {
  const std::string sharding = ", sharding={devices=[2]<=[2]}\n";
  std::string text = absl::StrCat("HloModule m, num_partitions=2\nENTRY e {\nv0 = ", type,
                                  "[16] parameter(0)", sharding);
  for (int i = 0; i < n; ++i) {
    absl::StrAppend(&text, "v", i + 1, " = ", type, "[16] ", absl::Substitute(rest, i), sharding);
  }
  return text;
}

// Concatenations of values after a chain of copies. Review: sharding, SkipCopies.
std::string ReadersAfterCopies(int n) {
  std::string text = CutChain(n, "f32", "copy(v$0)");
  std::vector<std::string> shapes, names;
  for (int i = 0; i < n; ++i) {
    absl::StrAppend(&text, "j", i, " = f32[32] concatenate(v", n, ", v", n,
                    "), dimensions={0}, sharding={devices=[2]<=[2]}\n");
    shapes.push_back("f32[32]");
    names.push_back(absl::StrCat("j", i));
  }
  return absl::StrCat(text, "ROOT r = (", absl::StrJoin(shapes, ", "), ") tuple(",
                      absl::StrJoin(names, ", "), ")\n}\n");
}

TEST(VerbsGrowthOfShardingsTest, ReadersAfterCopies) {
  ExpectGrowth(kLinear, {{"collectives", "--as-is"}}, ReadersAfterCopies(1000),
               ReadersAfterCopies(4000));
}

// The partitioner makes a loop for each. Review: sharding, LoopOf.
std::string Ffts(int n) {
  return absl::StrCat(CutChain(n, "c64", "fft(v$0), fft_type=FFT, fft_length={16}"),
                      "ROOT r = c64[16] negate(v", n, "), sharding={devices=[2]<=[2]}\n}\n");
}

TEST(VerbsGrowthOfShardingsTest, LoopsThatThePartitionerMakes) {
  ExpectGrowth(kLinear, {{"collectives", "--as-is"}}, Ffts(5000), Ffts(20000));
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
                           for (char& c : name) c = absl::ascii_isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace tessera::testing::hostile
