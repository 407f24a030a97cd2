// `tessera shard` does not see comments, wherever they stand: the result of a commented text says
// the same as that of the bare one, and the comments are still there.

#include <random>
#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/mesh_sizes.h"
#include "tessera/sharding/pspec.h"
#include "tessera/testing/keep_edits/comment_mixer.h"
#include "tessera/testing/keep_edits/module_files.h"
#include "tessera/text/source.h"

namespace tessera::testing {
namespace {

std::string Printed(absl::string_view text) {
  const auto module = hlo::ParseModule(text);
  if (!module.ok()) return module.status().ToString();
  return hlo::PrintModule(*module, hlo::PrintOptions::Default());
}

// Empty if it cannot be sharded.
std::string PropagatedModule(absl::string_view text, const pipeline::ShardOptions& options) {
  auto module = hlo::ParseModule(text);
  if (!module.ok()) return module.status().ToString();
  const auto result = pipeline::ShardModule(*std::move(module), options);
  return result.ok() ? result->text : "";
}

// `all_stay`: those of the lines that are not edited are looked for, too.
void CheckText(const std::string& bare, const pipeline::ShardOptions& options, bool all_stay,
               std::mt19937* random) {
  constexpr double kShares[] = {0.005, 0.03, 0.15};
  const Commented commented = MixComments(bare, kShares[(*random)() % 3], random);
  ASSERT_EQ(Printed(commented.text), Printed(bare)) << "not a comment";
  const std::string expected = PropagatedModule(bare, options);
  if (expected.empty()) return;  // the mesh is not that of the module
  const std::string result = PropagatedModule(commented.text, options);
  EXPECT_EQ(Printed(result), Printed(expected)) << commented.text;
  if (!all_stay) return;
  for (const std::string& comment : commented.staying) {
    EXPECT_TRUE(absl::StrContains(result, comment)) << comment << "\n" << commented.text;
  }
}

class Comments : public ::testing::TestWithParam<int> {};

TEST_P(Comments, AreKeptAndChangeNothing) {
  pipeline::ShardOptions plain;
  plain.stage = pipeline::Stage::kPass;
  pipeline::ShardOptions by_hand = plain;
  by_hand.mesh = *sharding::ParseMeshSizes("x=2,y=2");
  by_hand.annotations = {{".*", *sharding::ParsePartitionSpec("P('x')")}};
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  // What stands inside of an operand that is named in place may go with it: one seed without such.
  const bool all_stay = GetParam() == 1;
  for (const std::string& path : FilesUnder("testing/jax/golden", ".before.hlo")) {
    SCOPED_TRACE(path);
    const auto source = text::Source::FromFile(path);
    ASSERT_TRUE(source.ok()) << source.status();
    CheckText(std::string((*source)->text()), plain, all_stay, &random);
    CheckText(std::string((*source)->text()), by_hand, all_stay, &random);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Comments, ::testing::Range(1, 9));

}  // namespace
}  // namespace tessera::testing
