// Each golden module of testing/jax has the same collectives at three points: as the pass gets it,
// as the pass leaves it, and as `shard` writes it. Only the first one is propagated. Tuples that
// the pass removes gather nothing.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

// `  16 KiB x2    all-gather f32[64,128] over model: dot.2 of w` without who asks for what, which has
// other names after the pass. The first line has the sum.
std::vector<std::string> CollectivesOf(const std::string& path) {
  const Outcome run = RunTessera({CollectivesVerb()}, {"collectives", path});
  if (run.exit != 0) return {"refused"};
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(run.out, '\n')) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(" over ", 1));
    lines.emplace_back(parts.first);
  }
  return lines;
}

// Kept text has instructions without readers, which the pass removes. They have no shardings, so
// something may be gathered for them.
bool HasDeadCode(absl::string_view path) {
  for (const absl::string_view name :
       {"branch_reads_for_dead_marks", "constraint_only_a_loop_reads", "exchange_nobody_needs",
        "loop_carries_for_dead_marks", "region_captures_for_dead_partial"}) {
    if (absl::StrContains(path, name)) return true;
  }
  return false;
}

TEST(DumpedModulesTest, CollectivesAreTheSameBeforeAndAfterThePass) {
  int compared = 0, with_collectives = 0;
  for (const auto& entry : std::filesystem::directory_iterator("testing/jax/golden")) {
    const std::string before = entry.path().string();
    if (!absl::EndsWith(before, ".before.hlo")) continue;
    const std::string after = absl::StrCat(absl::StripSuffix(before, ".before.hlo"), ".after.hlo");
    const std::string kept = TestFile("kept.hlo", "");
    const Outcome shard = RunTessera({ShardVerb()}, {"shard", before, "-o", kept});
    ASSERT_EQ(shard.exit, 0) << before << shard.err;
    const std::vector<std::string> expected = CollectivesOf(after);
    EXPECT_THAT(CollectivesOf(before), ::testing::UnorderedElementsAreArray(expected)) << before;
    if (!HasDeadCode(before)) {
      EXPECT_THAT(CollectivesOf(kept), ::testing::UnorderedElementsAreArray(expected)) << before;
    }
    ++compared;
    with_collectives += expected.size() > 2 ? 1 : 0;
  }
  EXPECT_GT(compared, 100);
  EXPECT_GT(with_collectives, 50);
}

}  // namespace
}  // namespace tessera::pipeline
