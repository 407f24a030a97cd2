// Each pass alone: testdata/PASS.txt has small modules, each as HLO, as the program in front of
// the pass, and as the program after it.
//
//   === what the case shows
//   ENTRY e { .. }                    HLO; after a first word @old as release 0.10.2 treats it
//   --- before
//   entry e(%arg0) { .. }             the form of program_text.h
//   --- after
//   entry e(%arg0) { .. }             or "error: ..", or "same" where the pass changes nothing
//
// The passes in front of the one that is tested have run on the program. A case may also be a
// program that does not come from HLO: `program` stands in place of it, and what stands after
// `before` is what the pass gets, in the form that has meshes and shapes (read_program.h). After a
// change of behaviour
//
//   TESSERA_WRITE_PASSES=$PWD/sharding/passes/testdata bazel-bin/sharding/passes/pass_test
//
// writes the files anew; every line that differs is a claim to be read.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/passes/pass_lists.h"
#include "tessera/sharding/passes/text/program_text.h"
#include "tessera/sharding/reference/reference.h"
#include "tessera/testing/program_text/read_program.h"

namespace tessera::sharding::passes {
namespace {

constexpr char kFolder[] = "sharding/passes/testdata/";

struct Case {
  std::string title, hlo, before, after;
};

std::string Join(const Case& c) {
  return absl::StrCat("=== ", c.title, "\n", c.hlo, "--- before\n", c.before, "--- after\n",
                      c.after);
}

std::vector<Case> ReadCases(const std::string& text) {
  std::vector<Case> cases;
  std::string* part = nullptr;
  for (absl::string_view line : absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')) {
    if (absl::ConsumePrefix(&line, "=== ")) {
      cases.push_back({std::string(line), "", "", ""});
      part = &cases.back().hlo;
    } else if (part != nullptr && line == "--- before") {
      part = &cases.back().before;
    } else if (part != nullptr && line == "--- after") {
      part = &cases.back().after;
    } else if (part != nullptr) {
      absl::StrAppend(part, line, "\n");
    }
  }
  return cases;
}

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Pipeline AllPasses(const PassOptions& options) {
  return Concatenate({UpToPropagation(options), ExportPasses(options)});
}

std::string Outline(const Context& context) {
  return context.program == nullptr ? "" : ProgramOutline(*context.program);
}

std::string Error(const absl::Status& status) {
  return absl::StrCat("error: ", status.message(), "\n");
}

constexpr char kProgram[] = "program\n";

// The case that starts with the text of a program.
Case RunProgram(const Pass& pass, const PassOptions& options, const Case& given) {
  Case real = given;
  Context context;
  absl::StatusOr<std::unique_ptr<HloProgram>> program = ReadProgram(given.before, &context.module);
  if (!program.ok()) return real.before = Error(program.status()), real;
  context.program = *std::move(program);
  context.program->set_behaviors(options.behaviors);
  real.before = ProgramToString(*context.program);
  const absl::Status status = pass.Run(context);
  const std::string after = ProgramToString(*context.program);
  real.after = !status.ok() ? Error(status) : after == real.before ? "same\n" : after;
  return real;
}

// The case as it really is.
Case RunCase(const std::string& pass, const Case& given) {
  PassOptions options;
  if (absl::StartsWith(given.title, "@old ")) {
    options.behaviors = reference::FindReference("0.10.2")->behaviors;
  }
  if (given.hlo == kProgram) {
    const Pipeline pipeline = AllPasses(options);
    return RunProgram(pipeline[*FindPass(pipeline, pass)], options, given);
  }
  Case real = given;
  real.before = real.after = "";
  absl::StatusOr<hlo::Module> module =
      hlo::ParseModule(absl::StartsWith(given.hlo, "HloModule")
                           ? given.hlo
                           : absl::StrCat("HloModule m, num_partitions=4\n\n", given.hlo));
  if (!module.ok()) return real.after = Error(module.status()), real;
  Context context;
  context.module = *std::move(module);
  context.import.behaviors = options.behaviors;
  const Pipeline pipeline = AllPasses(options);
  const absl::StatusOr<size_t> place = FindPass(pipeline, pass);
  if (!place.ok()) return real.after = Error(place.status()), real;
  const absl::Status front = RunPasses(pipeline, 0, *place, &context);
  if (!front.ok()) return real.before = Error(front), real;
  real.before = Outline(context);
  const absl::Status status = pipeline[*place].Run(context);
  const std::string after = Outline(context);
  real.after = !status.ok() ? Error(status) : after == real.before ? "same\n" : after;
  return real;
}

// Effects that the text of a program does not show, or that need more than a module.
const std::set<std::string> kWithoutText = {
    "apply-user-annotations",  // needs --annotate: shard_test.cc
    "apply-annotation-edits",  // needs edits: fixes of explain
    "end-import",              // the order of uses: use_order_test.cc
    "register-op-rules"};

class PassTest : public ::testing::TestWithParam<std::string> {};

TEST_P(PassTest, TextBeforeAndAfter) {
  const std::string path = absl::StrCat(kFolder, GetParam(), ".txt");
  const std::vector<Case> cases = ReadCases(ReadFile(path));
  ASSERT_FALSE(cases.empty()) << path << " is missing";
  std::string text;
  bool has_effect = false;
  for (const Case& given : cases) {
    const Case real = RunCase(GetParam(), given);
    EXPECT_EQ(Join(real), Join(given)) << path;
    has_effect |= real.after != "same\n";
    absl::StrAppend(&text, Join(real));
  }
  EXPECT_TRUE(has_effect) << path << ": a case must show what the pass does";
  if (const char* folder = std::getenv("TESSERA_WRITE_PASSES")) {
    std::ofstream(absl::StrCat(folder, "/", GetParam(), ".txt")) << text;
  }
}

// A printed program can be read: the same text comes back.
void ExpectReads(const std::string& text) {
  const bool is_program = !text.empty() && text != "same\n" && !absl::StartsWith(text, "error: ");
  if (!is_program) return;
  hlo::Module module;
  const auto program = ReadProgram(text, &module);
  ASSERT_TRUE(program.ok()) << program.status() << "\n" << text;
  EXPECT_EQ(
      absl::StartsWith(text, "mesh <") ? ProgramToString(**program) : ProgramOutline(**program),
      text);
}

TEST_P(PassTest, TextIsRead) {
  for (const Case& c : ReadCases(ReadFile(absl::StrCat(kFolder, GetParam(), ".txt")))) {
    ExpectReads(c.before);
    ExpectReads(c.after);
  }
}

TEST(GoldenTest, ProgramsAreRead) {
  constexpr absl::string_view kEnding = ".before.hlo";
  int num_read = 0;
  for (const auto& entry : std::filesystem::directory_iterator("testing/jax/golden")) {
    if (!absl::EndsWith(entry.path().native(), kEnding)) continue;
    absl::StatusOr<hlo::Module> module = hlo::ParseModule(ReadFile(entry.path()));
    ASSERT_TRUE(module.ok()) << entry.path();
    Context context;
    context.module = *std::move(module);
    const Pipeline pipeline = UpToPropagation({});
    ASSERT_TRUE(RunPasses(pipeline, &context).ok()) << entry.path();
    SCOPED_TRACE(entry.path());
    ExpectReads(ProgramOutline(*context.program));
    ExpectReads(ProgramToString(*context.program));
    ++num_read;
  }
  EXPECT_GT(num_read, 100);
}

std::vector<std::string> TestedPasses() {
  std::vector<std::string> names;
  for (const Pass& pass : AllPasses({})) {
    const std::string name(pass.name);
    if (kWithoutText.count(name) == 0) names.push_back(name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, PassTest, ::testing::ValuesIn(TestedPasses()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

TEST(PipelineTest, NamesAreUnique) {
  std::set<absl::string_view> names;
  for (const Pass& pass : AllPasses({})) EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
}

TEST(PipelineTest, NearestNames) {
  const auto message = [](absl::string_view name) {
    return std::string(FindPass(AllPasses({}), name).status().message());
  };
  EXPECT_EQ(message("sdy-close-sharding"),
            "no pass of this pipeline is named 'sdy-close-sharding'; the nearest names are "
            "sdy-close-shardings, xla-sdy-import-shardings, sdy-remove-sharding-groups; `tessera "
            "passes` lists all");
  EXPECT_TRUE(absl::StrContains(message("barriers"), "name is remove-propagation-barriers"));
  EXPECT_EQ(message("q"), "no pass of this pipeline is named 'q'; `tessera passes` lists all");
}

TEST(PipelineTest, PassesHaveNumbersAndNamesOfTheReference) {
  const Pipeline pipeline = AllPasses({});
  const size_t dedup = *FindPass(pipeline, "xla-sdy-round-trip-dedup-meshes");
  EXPECT_EQ(*FindPass(pipeline, "sdy-lift-inlined-meshes"), dedup);
  EXPECT_EQ(*FindPass(pipeline, absl::StrCat(dedup + 1)), dedup);
  EXPECT_EQ(*FindPass(pipeline, NumberedPass("xla-sdy-round-trip-dedup-meshes", dedup)), dedup);
  EXPECT_EQ(*FindPass(pipeline, absl::StrCat(dedup + 1, ".xla-sdy-round-trip-dedup-meshes")),
            dedup);
  EXPECT_FALSE(
      FindPass(pipeline, absl::StrCat(dedup + 2, ".xla-sdy-round-trip-dedup-meshes")).ok());
  EXPECT_FALSE(FindPass(pipeline, "99").ok());
  EXPECT_EQ(pipeline[*FindPass(pipeline, "canonicalize")].name, "canonicalize");
}

TEST(PipelineTest, ReleasesHaveTheirOwnLists) {
  PassOptions old;
  old.behaviors = reference::FindReference("0.10.2")->behaviors;
  const Pipeline pipeline = AllPasses(old);
  EXPECT_LT(*FindPass(pipeline, "sdy-import-func-calls"),
            *FindPass(pipeline, "sdy-apply-sharding-constraints"));
  EXPECT_FALSE(FindPass(pipeline, "sdy-add-func-data-flow-edges").ok());
}

}  // namespace
}  // namespace tessera::sharding::passes
