// Each pass does what the real compiler's does: testdata/PASS/PROGRAM.before.hlo becomes
// PROGRAM.after.hlo, up to names and channels. testing/targets/record.py records them; a new folder is tested by itself.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/shape.h"
#include "tessera/target/collectives/standing.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/passes.h"

namespace tessera::target {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

hlo::Module ModuleOf(const fs::path& path) {
  absl::StatusOr<hlo::Module> module = hlo::ParseModule(ReadFile(path));
  EXPECT_TRUE(module.ok()) << path << ": " << module.status();
  return module.ok() ? *std::move(module) : hlo::Module();
}

// The entry without dead code; names are those of places, bodies stand where they are named.
std::string Canonical(hlo::Module with_dead_code) {
  Context context(std::move(with_dead_code), *ParseTarget("h100:8"), XlaFlags());
  EXPECT_TRUE(RemoveDeadCode(context).ok());
  const hlo::Module module = std::move(context.program).Release();
  hlo::PrintOptions options = hlo::PrintOptions::Canonical();
  options.large_constants = true;
  std::string text = hlo::PrintModule(module, options);
  text.erase(0, text.find("ENTRY"));
  text = std::regex_replace(text, std::regex(", backend_config=[{].*[}]"), "");
  return std::regex_replace(text, std::regex(", channel_id=[0-9]+"), ", channel_id=N");
}

const Pass* FindPass(const std::string& name) {
  for (const auto passes : {GpuPassesBeforeShardy(), GpuPasses()}) {
    for (const Pass& pass : passes) {
      if (pass.name == name) return &pass;
    }
  }
  return nullptr;
}

constexpr char kRecorded[] = "target/gpu/testdata";

// The recorded passes: each folder is one, but for the whole compilation.
std::vector<std::string> RecordedPasses() {
  std::vector<std::string> names;
  std::error_code not_there;
  for (const auto& entry : fs::directory_iterator(kRecorded, not_there)) {
    const std::string name = entry.path().filename().string();
    if (name != "final") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The recorded programs of a pass, "scatter"; empty for a folder that is not there.
std::vector<std::string> ProgramsOf(const std::string& pass) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(kRecorded) / pass)) {
    const std::string name = entry.path().filename().string();
    const std::string end = ".before.hlo";
    if (absl::EndsWith(name, end)) names.push_back(name.substr(0, name.size() - end.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

class RecordedPassTest : public ::testing::TestWithParam<std::string> {};

TEST_P(RecordedPassTest, DoesWhatTheCompilerDoes) {
  const Pass* const pass = FindPass(GetParam());
  ASSERT_NE(pass, nullptr);
  const std::vector<std::string> programs = ProgramsOf(GetParam());
  EXPECT_FALSE(programs.empty());
  for (const std::string& program : programs) {
    const fs::path base = fs::path(kRecorded) / GetParam() / program;
    Context context(ModuleOf(base.string() + ".before.hlo"), *ParseTarget("h100:8"), XlaFlags());
    const absl::Status status = pass->run(context);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(Canonical(std::move(context.program).Release()),
              Canonical(ModuleOf(base.string() + ".after.hlo")))
        << program;
  }
}

// "all-reduce f32:520 of {{0,1,2,3},{4,5,6,7}}" for each collective, sorted.
std::vector<std::string> CollectivesOf(const hlo::Module& module) {
  std::vector<std::string> lines;
  const auto all = FindStanding(module);
  EXPECT_TRUE(all.ok()) << all.status();
  if (!all.ok()) return lines;
  for (const auto& c : all->found.collectives) {
    std::vector<std::string> arrays;
    layout::ForEachLeaf(c.shape, [&](const layout::Shape& leaf) {
      arrays.push_back(absl::StrCat(layout::ElementTypeName(leaf.element_type()), ":",
                                    leaf.NumElements().value_or(0)));
    });
    std::sort(arrays.begin(), arrays.end());
    lines.push_back(absl::StrCat(hlo::OpcodeName(c.opcode), " ", absl::StrJoin(arrays, " ")));
    for (const auto& group : c.groups.list()) {
      absl::StrAppend(&lines.back(), " {", absl::StrJoin(group, ","), "}");
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// All passes together: from the partitioned module to the collectives of the scheduled one.
TEST(FinalTest, TheCollectivesOfTheFinalModule) {
  const std::vector<std::string> programs = ProgramsOf("final");
  EXPECT_FALSE(programs.empty());
  for (const std::string& program : programs) {
    const fs::path base = fs::path(kRecorded) / "final" / program;
    Context context(ModuleOf(base.string() + ".before.hlo"), *ParseTarget("h100:8"), XlaFlags());
    const absl::Status status = RunPasses(GpuPasses(), &context);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(CollectivesOf(std::move(context.program).Release()),
              CollectivesOf(ModuleOf(base.string() + ".after.hlo")))
        << program;
  }
}

// XLA moves reshapes again after dot-merger: of the slices of a merged product, through what reads them.
TEST(FinalTest, ReshapesMoveThroughWhatReadsAMergedProduct) {
  absl::StatusOr<hlo::Module> module = hlo::ParseModule(
      "HloModule m, num_partitions=8\nENTRY e {\n"
      "  x = f32[4,32,64] parameter(0)\n  v = f32[64,128] parameter(1)\n"
      "  w = f32[64,64] parameter(2)\n  y = f32[128,64] reshape(x)\n"
      "  a = f32[128,128] dot(y, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  b = f32[128,64] dot(y, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  p = f32[128,128] exponential(a)\n  r = f32[4,32,2,64] reshape(p)\n"
      "  s = f32[1,4,32,128] reshape(p)\n"
      "  ROOT t = (f32[4,32,2,64], f32[1,4,32,128], f32[128,64]) tuple(r, s, b)\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  Context context(*std::move(module), *ParseTarget("h100:8"), XlaFlags());
  ASSERT_TRUE(RunPasses(GpuPasses(), &context).ok());
  EXPECT_THAT(hlo::PrintModule(std::move(context.program).Release(), {}),
              ::testing::HasSubstr("f32[4,32,128]{2,1,0} exponential("));
}

TEST(RecordedPassesTest, ThereAreSome) { EXPECT_GT(RecordedPasses().size(), 10u); }

INSTANTIATE_TEST_SUITE_P(Passes, RecordedPassTest, ::testing::ValuesIn(RecordedPasses()),
                         [](const auto& info) {
                           return std::regex_replace(info.param, std::regex("-"), "_");
                         });

}  // namespace
}  // namespace tessera::target
