// Every module that a compiler of TPU or GPU made is read, verified and printed. The printed module
// is the one that was read: also its backend configs, byte by byte.

#include "tessera/testing/compiled/compiled_modules.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/print_options.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/verifier.h"
#include "tessera/target/stage/stage.h"
#include "tessera/testing/corpora/corpora.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"

namespace tessera::testing {
namespace {

using target::Stage;

// The module, all of it written anew: nothing is copied from the source. Wrapped operations are
// written out where they were: `slice-start` in their place has no room for what the slice says.
std::string Written(const hlo::Module& module) {
  hlo::PrintOptions options;
  options.load_like_xla = false;
  options.large_constants = true;
  options.reuse_source = false;
  options.async_sugar = !absl::StrContains(module.source_text(), " async-start(");
  return hlo::PrintModule(module, options);
}

// "name config" of each line that has one, sorted: wrapped operations, which have no line, move the
// numbers of the others.
std::vector<std::string> BackendConfigs(const hlo::Module& module) {
  std::vector<std::string> configs;
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (module.instruction(id).is_implied) continue;
    const auto config = module.FindAttribute(id, hlo::AttributeName::kBackendConfig);
    if (config) configs.push_back(absl::StrCat(module.instruction(id).name, " ", *config));
  }
  std::sort(configs.begin(), configs.end());
  return configs;
}

void Check(const std::string& path, Stage stage) {
  SCOPED_TRACE(path);
  const std::string text = Unpacked(path);
  const auto module = hlo::ParseModule(text, path);
  ASSERT_TRUE(module.ok()) << module.status();
  const text::Diagnostics found = hlo::VerifyModule(*module);
  EXPECT_TRUE(found.ok()) << found.ToStatus(*module->text());
  EXPECT_EQ(target::StageName(target::ReadStage(*module).stage), target::StageName(stage));
  const std::string written = Written(*module);
  const auto again = hlo::ParseModule(written, path);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->num_instructions(), module->num_instructions());
  EXPECT_TRUE(BackendConfigs(*again) == BackendConfigs(*module));
  EXPECT_TRUE(Written(*again) == written);
}

void CheckAll(const std::string& ending, Stage stage) {
  const std::vector<std::string> paths = CompiledModules(ending);
  if (paths.empty() && !::testing::Test::HasFailure()) GTEST_SKIP() << kNoCorpora;
  for (const std::string& path : paths) Check(path, stage);
}

TEST(CompiledModulesTest, Final) { CheckAll(".final.hlo.xz", Stage::kFinal); }

TEST(CompiledModulesTest, Partitioned) { CheckAll(".partitioned.hlo.xz", Stage::kPartitioned); }

}  // namespace
}  // namespace tessera::testing
