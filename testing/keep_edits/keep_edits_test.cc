// `tessera shard` on every module of our own, and on those beside the project (TESSERA_SHARED): the
// result is the input with edits of the allowed kinds.

#include "tessera/testing/keep_edits/keep_edits.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/mesh_sizes.h"
#include "tessera/sharding/pspec.h"
#include "tessera/testing/corpora/corpora.h"
#include "tessera/testing/keep_edits/module_files.h"
#include "tessera/text/source.h"

namespace tessera::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

TEST(FindForeignEdits, AHeaderMayBeMadeButNotReplaced) {
  EXPECT_THAT(FindForeignEdits("// c\nENTRY e {\n}\n", "// c\nHloModule m\n\nENTRY e {\n}\n"),
              IsEmpty());
  EXPECT_THAT(FindForeignEdits("HloModule n\n\nENTRY e {\n}\n", "HloModule m\n\nENTRY e {\n}\n"),
              Not(IsEmpty()));
}

TEST(FindForeignEdits, AllowsWhatThePassIsFor) {
  EXPECT_THAT(FindForeignEdits("HloModule m, frontend_attributes={xla.sdy.meshes=\"{}\"}\n"
                               "// c\n"
                               "ENTRY e {\n"
                               "  p = f32[8] parameter(0)\n"
                               "  s = f32[8] custom-call(p), custom_call_target=\"Sharding\"\n"
                               "  ROOT n = f32[8] negate(s), metadata={op_name=\"n\"}\n"
                               "}\n",
                               "HloModule m\n"
                               "// c\n"
                               "ENTRY e {\n"
                               "  p = f32[8] parameter(0), sharding={replicated}\n"
                               "  s = f32[8] copy(p), sharding={devices=[2]<=[2]}\n"
                               "  s.reshard = f32[8] copy(s), sharding={replicated}\n"
                               "  ROOT n = f32[8] negate(s.reshard), sharding={replicated}, "
                               "metadata={op_name=\"n\"}\n"
                               "}\n"),
              IsEmpty());
}

TEST(FindForeignEdits, SeesEveryOtherByte) {
  const std::string before = "HloModule m\nENTRY e {\n  ROOT p = f32[8] parameter(0) // c\n\n}\n";
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] == '\n') continue;
    std::string after = before;
    after[i] = '#';
    EXPECT_FALSE(FindForeignEdits(before, after).empty()) << after;
  }
  EXPECT_FALSE(FindForeignEdits(before, before.substr(0, before.size() - 3)).empty());
  EXPECT_FALSE(FindForeignEdits(before, before + "}\n").empty());
}

// How many results were looked at. A module that cannot be sharded is an error elsewhere.
int CheckFile(const std::string& path, const pipeline::ShardOptions& options) {
  auto source = text::Source::FromFile(path);
  if (!source.ok()) return 0;
  const hlo::ParsedText parsed = hlo::ParseModules(*source);
  if (!parsed.diagnostics.ok() || parsed.modules.size() != 1) return 0;
  const auto result = pipeline::ShardModule(parsed.modules[0], options);
  if (!result.ok()) return 0;
  const auto wrong = FindForeignEdits((*source)->text(), result->text);
  EXPECT_THAT(wrong, IsEmpty()) << path << "\n" << absl::StrJoin(wrong, "\n");
  return 1;
}

pipeline::ShardOptions ByHand() {
  pipeline::ShardOptions options;
  options.stage = pipeline::Stage::kPass;
  options.mesh = *sharding::ParseMeshSizes("x=2,y=2");
  options.annotations = {{".*", *sharding::ParsePartitionSpec("P('x')")}};
  return options;
}

TEST(KeepEdits, OwnModules) {
  pipeline::ShardOptions options;
  options.stage = pipeline::Stage::kPass;
  int checked = 0;
  for (const std::string& path : FilesUnder("testing/jax/golden", ".before.hlo")) {
    checked += CheckFile(path, options);
  }
  EXPECT_GT(checked, 90);
}

TEST(KeepEdits, ModulesBesideTheProject) {
  const std::optional<std::string> hlo = CorpusFolder("hlo");
  const std::optional<std::string> real = CorpusFolder("conformance/real");
  if (!hlo || !real) GTEST_SKIP() << kNoCorpora;
  pipeline::ShardOptions plain;
  plain.stage = pipeline::Stage::kPass;
  int checked = 0;
  for (const std::string& path : FilesUnder(*hlo, "")) {
    checked += CheckFile(path, plain) + CheckFile(path, ByHand());
  }
  for (const std::string& path : FilesUnder(*real, ".before.hlo")) {
    checked += CheckFile(path, plain);
  }
  EXPECT_GT(checked, 400);
}

}  // namespace
}  // namespace tessera::testing
